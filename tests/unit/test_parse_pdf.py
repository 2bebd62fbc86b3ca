import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pymupdf
import pytest

from ingest.parse.pdf.order import reading_order
from ingest.parse.pdf.pages import PdfBlock, PdfLine
from ingest.parse.pdf.parser import PdfParser
from ingest.parse.pdf.text import clean, join_lines, undoubled
from kb.errors import ParseError, Unavailable
from kb.records import Document
from kb.settings import ParseSettings

Piece = tuple[float, float, str, float]  # x, y of the baseline, text, size
ENGINES = pytest.mark.parametrize("engine", ["pymupdf", "pypdfium2"])


def make(pages: Iterable[Iterable[Piece]], **save: Any) -> bytes:
    document = pymupdf.open()
    for pieces in pages:
        page = document.new_page()
        for x, y, text, size in pieces:
            page.insert_text((x, y), text, fontsize=size)
    return bytes(document.tobytes(**save))


def parse(data: bytes, engine: str = "pymupdf", name: str = "a_b.pdf") -> Document:
    settings = ParseSettings(pdf_engine=engine, ocr="off")  # type: ignore[arg-type]
    return PdfParser(settings).parse(data, name)


def rows(document: Document) -> list[tuple[str, str]]:
    return [(e.kind, document.text[e.start : e.end]) for e in document.elements]


def lines(x: float, y: float, texts: Iterable[str], size: float = 11) -> list[Piece]:
    return [(x, y + i * size * 1.2, text, size) for i, text in enumerate(texts)]


@ENGINES
def test_words_broken_at_line_ends_and_pages(engine: str) -> None:
    data = make(
        [
            lines(72, 100, ["El riego por goteo aho-", "rra agua y tiempo"]),
            [],
            lines(72, 90, ["otra"]),
        ]
    )
    document = parse(data, engine)
    assert rows(document) == [
        ("paragraph", "El riego por goteo ahorra agua y tiempo"),
        ("paragraph", "otra"),
    ]
    assert [e.page for e in document.elements] == [1, 3]
    assert document.warnings == ("page 2: no text",)
    assert not document.verbatim
    box = document.elements[0].bbox
    assert box is not None
    assert 70 < box[0] < 74
    assert 85 < box[1] < 95
    assert 112 < box[3] < 120


def test_headings_by_size_with_their_path() -> None:
    page = [
        (72, 80, "Manual del riego", 22),
        *lines(
            72, 120, ["Un texto de varias palabras para el cuerpo", "del documento, más largo."]
        ),
        (72, 180, "1.1 Caudal", 15),
        *lines(72, 210, ["Otro texto de varias palabras para el cuerpo."]),
    ]
    document = parse(make([page]))
    assert [(e.kind, e.level, e.heading) for e in document.elements] == [
        ("heading", 1, ("Manual del riego",)),
        ("paragraph", 0, ("Manual del riego",)),
        ("heading", 2, ("Manual del riego", "1.1 Caudal")),
        ("paragraph", 0, ("Manual del riego", "1.1 Caudal")),
    ]
    assert document.title == "Manual del riego"
    assert document.language == "es"


@ENGINES
def test_two_columns_are_read_one_after_the_other(engine: str) -> None:
    left = [f"izquierda renglón {i} del texto" for i in range(6)]
    right = [f"derecha renglón {i} del texto" for i in range(6)]
    pieces = [(72.0, 60.0, "Título que cruza las dos columnas de la página entera del papel", 11.0)]
    for i in range(6):  # drawn row by row, as some programs do
        pieces += [(72, 100 + 14 * i, left[i], 11), (320, 100 + 14 * i, right[i], 11)]
    text = parse(make([pieces]), engine).text
    places = [text.index(line) for line in ["Título", *left, *right]]
    assert places == sorted(places)


@ENGINES
def test_a_table_is_read_by_rows(engine: str) -> None:
    cells = [["Modelo", "Caudal", "Precio"], ["T40", "60", "450"], ["T80", "", "900"]]
    pieces = [
        (72.0 + 120 * c, 100.0 + 16 * r, cell, 11.0)
        for r, row in enumerate(cells)
        for c, cell in enumerate(row)
        if cell
    ]
    assert rows(parse(make([pieces]), engine)) == [
        ("table", "Modelo | Caudal | Precio\nT40 | 60 | 450\nT80 |  | 900")
    ]


@ENGINES
def test_repeated_headers_and_footers_go(engine: str) -> None:
    pages = [
        [
            (72.0, 40.0, "Aguas del Norte, S. A.", 9.0),
            (72.0, 400.0, f"Texto número {n}", 11.0),
            (300.0, 810.0, f"{n}", 9.0),
        ]
        for n in range(1, 5)
    ]
    assert parse(make(pages), engine).text == "\n\n".join(f"Texto número {n}" for n in range(1, 5))


@ENGINES
def test_a_document_of_nothing_but_headers_is_kept(engine: str) -> None:
    data = make([[(72.0, 40.0, "Solo esto", 11.0)]] * 3)
    assert parse(data, engine).text == "\n\n".join(["Solo esto"] * 3)


@ENGINES
def test_locked_by_a_user_password(engine: str) -> None:
    data = make(
        [lines(72, 100, ["x"])], encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o"
    )
    with pytest.raises(ParseError, match="password"):
        parse(data, engine)


@ENGINES
def test_an_owner_password_alone_does_not_lock(engine: str) -> None:
    data = make([lines(72, 100, ["legible"])], encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o")
    assert parse(data, engine).text == "legible"


@ENGINES
def test_an_image_is_named_as_such(engine: str) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_image(
        page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 8, 8), False)
    )
    document.new_page()
    with pytest.raises(ParseError, match="no text on any of 2 pages, OCR is off"):
        parse(bytes(document.tobytes()), engine)
    with pytest.raises(ParseError, match=r"no text on any of 1 pages$"):
        parse(make([[]]), engine)


@ENGINES
@pytest.mark.parametrize("data", [b"", b"%PDF-1.7\n", b"%PDF-1.7\n\x00garbage" * 20, b"no pdf"])
def test_broken_files_give_a_parse_error(engine: str, data: bytes) -> None:
    with pytest.raises(ParseError, match=r"empty|broken PDF"):
        parse(data, engine)


@ENGINES
def test_a_cut_file_is_read_or_refused_but_never_crashes(engine: str) -> None:
    data = make([lines(72, 100, ["hola"])])
    for end in range(0, len(data), 97):
        try:
            parse(data[:end], engine)
        except ParseError as error:
            assert str(error)


def test_info_is_metadata_and_placeholders_are_none() -> None:
    document = pymupdf.open("pdf", make([lines(72, 100, ["hola"])]))
    document.set_metadata(
        {
            "title": "Informe de caudales",
            "author": "(anonymous)",
            "creationDate": "D:20240501093000+02'00'",
        }
    )
    found = parse(bytes(document.tobytes()))
    assert found.metadata == {"title": "Informe de caudales", "date": "2024-05-01"}
    assert found.title == "Informe de caudales"
    document.set_metadata({"title": "Microsoft Word - informe.docx"})
    assert parse(bytes(document.tobytes())).title == "a b"


def test_without_pymupdf_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make([lines(72, 100, ["hola"])])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(Unavailable, match=r"extra pymupdf.*pdf_engine = \"pypdfium2\""):
        parse(data)
    assert parse(data, "pypdfium2").text == "hola"


def test_no_heavy_library_is_imported_by_the_module_alone() -> None:
    heavy = ("pymupdf", "pypdfium2", "py3langid", "lxml")
    code = f"import sys, ingest.parse.pdf; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("eﬁcaz ﬂujo oﬃce", "eficaz flujo office"),
        ("camio\u0301n", "camión"),
        ("cami\u00b4on n\u00b4ı\u02dcno", "camión níño"),
        ("a\0b", "a\ufffdb"),
        (" a \t b\xa0c ", "a b c"),
        ("5\u00b4 3", "5\u00b4 3"),
    ],
)
def test_clean(raw: str, text: str) -> None:
    assert clean(raw) == text


@pytest.mark.parametrize(
    ("text", "line", "joined"),
    [
        ("aho-", "rra", "ahorra"),
        ("físico-", "químico", "físico-químico"),  # the document writes it so elsewhere
        ("franco-", "Prusia", "franco-Prusia"),
        ("uno", "dos", "uno dos"),
        ("pausa -", "y sigue", "pausa - y sigue"),
    ],
)
def test_join_lines(text: str, line: str, joined: str) -> None:
    assert join_lines(text, line, frozenset({"físico-químico"})) == joined


def test_undoubled() -> None:
    assert undoubled("BBOOLLDD TTEEXXTT") == "BOLD TEXT"
    assert undoubled("----------") == "----------"
    assert undoubled("11223344 55") == "1234 5"
    assert undoubled("aabb") == "aabb"


def test_sideways_text_comes_last() -> None:
    def block(text: str, x0: float, y0: float, x1: float, y1: float) -> PdfBlock:
        return PdfBlock((PdfLine(text, (x0, y0, x1, y1)),))

    margin = block("arXiv:2103", 10, 100, 25, 500)
    first, second = block("primero", 100, 100, 300, 112), block("segundo", 100, 300, 300, 312)
    assert reading_order([margin, second, first]) == [first, second, margin]
