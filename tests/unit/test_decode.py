import pytest

from ingest.parse.decode import decode
from ingest.parse.html.parser import declared_charset

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
