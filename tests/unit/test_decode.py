import pytest

from ingest.parse.decode import decode
from ingest.parse.html.parser import declared_charset
from ingest.parse.sniff import looks_binary

WESTERN = ("cp1252", "latin-1")
SPANISH = "El niño comió ñoquis: «¿qué?» y pagó 3\n"


@pytest.mark.parametrize(
    "codec",
    [
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
        "utf-32",
        "utf-32-le",
        "utf-32-be",
        "cp1252",
        "latin-1",
    ],
)
def test_spanish_reads_the_same_in_every_encoding(codec: str) -> None:
    assert decode(SPANISH.encode(codec)) == SPANISH


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp932", "名前,年齢,住所\n佐藤太郎,30,東京\n"),
        ("gb18030", "代开各地增值税发票、你好"),
        ("euc_kr", "안녕하세요 세계"),
    ],
)
def test_east_asian_charsets_are_guessed(codec: str, text: str) -> None:
    assert decode(text.encode(codec)) == text


SHORT = [
    "El niño comió ñoquis",
    "¿Cuándo llegará el camión?",
    "Señor Núñez, su pedido nº 45 está listo.",
    "La compañía eléctrica revisó la instalación",
    "Le préposé a été reçu à l'hôtel",
    "Straße über den Fluß",
]


@pytest.mark.parametrize("codec", ["cp1252", "latin-1", "iso8859-15", "mac-roman", "cp850"])
@pytest.mark.parametrize("text", SHORT)
def test_short_western_text_of_any_charset_is_guessed(codec: str, text: str) -> None:
    assert decode(text.encode(codec)) == text


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1251", "Договор"),
        ("koi8-r", "Счёт должен быть оплачен до конца месяца"),
        ("cp866", "Отчет: работа насоса за 2024 год."),
        ("iso8859-5", "Привет, как дела?"),
        ("cp1253", "Καλημέρα κόσμε, τι κάνετε"),
        ("cp1250", "Proszę wypełnić ten formularz, dziękuję"),
        ("euc_jp", "名前,年齢,住所\n佐藤太郎,30,東京\n"),
        ("iso2022_jp", "会議の議事録"),
        ("big5", "請檢查水泵的壓力。"),
        ("gb18030", "请检查水泵的压力。"),
    ],
)
def test_other_charsets_are_guessed(codec: str, text: str) -> None:
    assert decode(text.encode(codec)) == text


@pytest.mark.parametrize(
    "text", ["4–20 mA", "F1 · 5 × 20 mm", "“Conforme”", "© Noria – 25 °C", "»"]
)
def test_signs_alone_stay_windows_signs(text: str) -> None:
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("text", ["Привет, как дела?", "你好 世界\n请检查水泵", "こんにちは 世界"])
def test_wide_text_without_a_mark_in_any_script(codec: str, text: str) -> None:
    assert decode(text.encode(codec)) == text
    assert not looks_binary(text.encode(codec))


def test_a_few_bad_bytes_leave_the_rest_as_it_is() -> None:
    line = ("línea de la acción " * 50).encode() + b"\xe1rbol " + ("niño " * 50).encode()
    assert decode(line) == "línea de la acción " * 50 + "árbol " + "niño " * 50
    assert decode("ñandú camión".encode() + b"\xff") == "ñandú camiónÿ"


def test_a_long_line_with_many_stray_bytes_is_read_at_once() -> None:
    data = (("línea " * 5).encode() + b"\xe1 ") * 20_000
    assert decode(data) == ("línea " * 5 + "á ") * 20_000


def test_surrogates_written_one_by_one_are_joined() -> None:
    assert decode(b"a \xed\xa0\xbd\xed\xb8\x80 \xed\xa0\xbd b") == "a 😀 \ufffd b"


def test_a_file_of_two_encodings_is_read_line_by_line() -> None:
    data = "ok línea\n".encode() + "mal línea\n".encode("latin-1")
    assert decode(data) == "ok línea\nmal línea\n"


def test_nuls_and_lone_surrogates_are_replaced_one_by_one() -> None:
    assert decode(b"a\0b\0\0c") == "a\ufffdb\ufffd\ufffdc"
    assert decode(b"\xff\xfe" + "x\ud800y".encode("utf-16-le", "surrogatepass")) == "x\ufffdy"


def test_a_declared_charset_is_used_only_where_utf8_fails() -> None:
    assert decode("ñ".encode(), "iso-8859-1") == "ñ"
    assert decode("Привет".encode("cp1251"), "windows-1251") == "Привет"
    assert decode("5 €".encode("cp1252"), "iso-8859-1") == "5 €"  # as browsers read it
    assert decode("日本".encode("iso2022_jp"), "iso-2022-jp") == "日本"


@pytest.mark.parametrize("lie", ["utf-8", "utf-16", "klingon", "hex", "rot13", "\0", "ñ", "idna"])
def test_a_declared_charset_that_lies_does_no_harm(lie: str) -> None:
    assert decode("año".encode("cp1252"), lie) == "año"


def test_charset_declared_in_html() -> None:
    assert declared_charset(b"<meta charset=windows-1251>") == "windows-1251"
    assert declared_charset(b'<?xml version="1.0" encoding="iso-8859-15"?>') == "iso-8859-15"
    assert declared_charset(b"<p>no") == ""
