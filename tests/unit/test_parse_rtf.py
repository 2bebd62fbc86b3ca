import pytest

from kb.errors import ParseError
from tests.office import parse, rows


def read(body: str | bytes, head: str = r"\ansi\ansicpg1252") -> list[tuple[str, str]]:
    body = body if isinstance(body, bytes) else body.encode("ascii")
    return rows(parse("rtf", b"{\\rtf1" + head.encode() + b" " + body + b"}"))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"El ni\'f1o comi\'f3", "El niño comió"),
        (r"El ni\u241?o", "El niño"),
        (r"\uc2 a\u241\'3f\'3fb\uc0 c\u241 d", "añbcñd"),
        (r"{\uc1\u-10179?\u-8704?}!", "😀!"),
        (r"a\~b\_c \{x\} \\y", "a b-c {x} \\y"),
        (r"\ldblquote s\'ed\rdblquote\emdash no", "“sí”—no"),
        (r"uno{\*\nuevo secreto}{\pict 89504e47}dos", "unodos"),
        (r"visto {\v oculto}{\deleted borrado}fin", "visto fin"),
        (r"{\field{\*\fldinst HYPERLINK x}{\fldrslt enlace}}", "enlace"),
        (r"{\upr{a?o}{\*\ud{a\u241?o}}}", "año"),
    ],
)
def test_letters_and_groups(source: str, text: str) -> None:
    assert read(source) == [("paragraph", text)]


def test_page_headers_stand_once_at_the_end() -> None:
    source = r"{\header\pard PR-07, rev. 3\par}cuerpo\par{\headerf PR-07, rev. 3}{\footer P\'e1gina 3 de 9}"
    assert read(source) == [("paragraph", "cuerpo"), ("note", "PR-07, rev. 3")]


def test_code_pages_of_the_file_and_of_its_fonts() -> None:
    assert read(r"\'ec\'e8\'f0", r"\ansi\ansicpg1251") == [("paragraph", "мир")]
    fonts = r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}"
    assert read(fonts + r"\f0\'f1 {\f1\'ec\'e8\'f0} \f2\'93\'fa\'96\'7b") == [
        ("paragraph", "ñ мир 日本")
    ]


def test_raw_bytes_and_bin() -> None:
    assert read(b"a\xf1o \\bin4 }}{{ fin") == [("paragraph", "año fin")]


def test_headings_lists_tables_and_notes() -> None:
    styles = r"{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s5\outlinelevel1 Mio;}}"
    info = r"{\info{\title Plan}{\author Ana}{\creatim\yr2024\mo5\dy1}}"
    body = (
        styles + info + r"\pard\s1 Uno\par\pard\s5 Dos\par\pard texto{\footnote al pie}\par"
        r"{\listtext\'b7\tab}\ls1 a\par{\listtext\'b7\tab}\ls1\ilvl1 b\par\pard"
        r"\trowd\cellx1\cellx2\pard\intbl Zona\cell Caudal\cell\row"
        r"\trowd\clvmgf\cellx1\cellx2\pard\intbl Norte\cell 1\cell\row"
        r"\trowd\clvmrg\cellx1\cellx2\pard\intbl\cell 2\par 3\cell\row\pard fin\par"
    )
    document = parse("rtf", b"{\\rtf1\\ansi " + body.encode() + b"}")
    assert rows(document) == [
        ("heading", "Uno"),
        ("heading", "Dos"),
        ("paragraph", "texto"),
        ("note", "al pie"),
        ("list", "- a\n  - b"),
        ("table", "Zona | Caudal\nNorte | 1\nNorte | 2 3"),
        ("paragraph", "fin"),
    ]
    assert document.elements[2].heading == ("Uno", "Dos")
    assert document.metadata == {"title": "Plan", "author": "Ana", "date": "2024-05-01"}


def test_what_is_cut_off_is_read_as_far_as_it_goes() -> None:
    assert rows(parse("rtf", rb"{\rtf1 uno\par dos {\b tr")) == [
        ("paragraph", "uno"),
        ("paragraph", "dos tr"),
    ]


def test_deep_groups() -> None:
    assert read("{" * 50_000 + "x" + "}" * 50_000) == [("paragraph", "x")]


@pytest.mark.parametrize("data", [b"", b"hola"])
def test_what_is_no_rtf(data: bytes) -> None:
    with pytest.raises(ParseError):
        parse("rtf", data)
