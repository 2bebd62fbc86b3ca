"""Which pages are doubted, what forms and notes say, what is furniture."""

from collections.abc import Iterable
from typing import Any

import pymupdf
import pytest

from ingest.parse.pdf.furniture import drop_furniture
from ingest.parse.pdf.judge import doubt, is_bare
from ingest.parse.pdf.pages import Drawn, PdfBlock, PdfLine, PdfPage, covered, fitting_dpi
from ingest.parse.pdf.parser import PdfParser, engine_of
from ingest.parse.pdf.with_ocr import listed
from kb.errors import ParseError
from kb.records import Document
from kb.settings import ParseSettings
from tests.scans import NEEDS_TESSERACT, TEXT, picture, prose, scanned

ENGINES = pytest.mark.parametrize("engine", ["pymupdf", "pypdfium2"])
PROSE = " ".join(TEXT)
GARBAGE = "3s«»teership Aaalggfitted fc-ugsx eZecutEd xqzt vbbb rrrt kkpw wkh txlfn eurzq mxpsv"


def parse(data: bytes, engine: str, ocr: str = "off") -> Document:
    settings = ParseSettings(pdf_engine=engine, ocr=ocr)  # type: ignore[arg-type]
    return PdfParser(settings).parse(data, "")


def page(text: str, drawn: Drawn | None = None) -> PdfPage:
    blocks = (PdfBlock((PdfLine(text, (50, 400, 300, 412), 11.0),)),) if text else ()
    return PdfPage(1, 600, 800, blocks, drawn=drawn or Drawn())


@pytest.mark.parametrize(
    ("text", "drawn", "doubted"),
    [
        (PROSE, Drawn(), False),
        (PROSE, Drawn(images=1.0, hidden=True), False),  # scanned, and well read by someone
        (PROSE, Drawn(images=0.4, paths=900), False),
        ("", Drawn(), False),  # blank
        ("", Drawn(images=0.01), True),
        ("", Drawn(paths=3), True),
        ("Escaneado con la aplicación", Drawn(images=0.95), True),
        ("12", Drawn(images=0.2), False),  # a short page with a logo
        (GARBAGE, Drawn(), True),
        (PROSE + " " + GARBAGE, Drawn(), False),  # half of it: may be code
        (PROSE + " " + GARBAGE, Drawn(images=1.0), True),
        (PROSE + " " + GARBAGE, Drawn(hidden=True), True),
        ("\ue001\ue002" * 40 + PROSE, Drawn(), True),
        ("1000.01 23 44 " * 30, Drawn(), False),
    ],
)
def test_only_pages_without_sound_text_are_doubted(text: str, drawn: Drawn, doubted: bool) -> None:
    assert bool(doubt(page(text, drawn))) == doubted


def test_a_page_of_glyphs_without_meaning_is_bare() -> None:
    assert is_bare(page("\ue001\ue002\ue003 a b"))
    assert not is_bare(page("\ue001 agua"))


def test_share_under_images() -> None:
    # half of 600 x 800, and an image that hangs over the edge
    assert covered([(0, 0, 600, 400)], (0, 0, 600, 800)) == 0.5
    assert covered([(300, 0, 900, 800), (0, 0, 600, 800)], (0, 0, 600, 800)) == 1.0
    assert covered([(0, 0, 1, 1)], (0, 0, 0, 0)) == 0.0


def test_a_huge_page_is_drawn_coarsely() -> None:
    assert fitting_dpi(595, 842, 300) == 300
    # 14,400 points square: sqrt(40e6) = 6,324 pixels a side = 31.6 dots an inch
    assert fitting_dpi(14_400, 14_400, 300) == 31


def test_listed() -> None:
    assert listed([3]) == "page 3"
    assert listed([7, 1, 2, 3]) == "pages 1-3, 7"


def form() -> bytes:
    document = pymupdf.open()
    on = document.new_page()
    on.insert_text((72, 112), "Titular:", fontsize=11)
    for name, label, kind, value, box in [
        ("titular", "", pymupdf.PDF_WIDGET_TYPE_TEXT, "Lucía Núñez", (130, 100, 300, 120)),
        ("a.cuota", "Cuota anual", pymupdf.PDF_WIDGET_TYPE_TEXT, "120", (72, 140, 300, 160)),
        ("acepta", "", pymupdf.PDF_WIDGET_TYPE_CHECKBOX, True, (72, 200, 90, 218)),
        ("rechaza", "", pymupdf.PDF_WIDGET_TYPE_CHECKBOX, False, (72, 240, 90, 258)),
        ("vacio", "", pymupdf.PDF_WIDGET_TYPE_TEXT, "", (72, 280, 300, 300)),
    ]:
        widget = pymupdf.Widget()
        widget.field_name, widget.field_label, widget.field_type = name, label, kind
        widget.field_value, widget.rect = value, pymupdf.Rect(box)
        on.add_widget(widget)
    on.insert_text((100, 213), "Acepto las bases", fontsize=11)
    on.add_text_annot((300, 400), "Revisar con Ana")
    on.add_freetext_annot((72, 500, 300, 530), "Comentario visible")
    document.embfile_add("datos.csv", b"a;b", filename="datos.csv")
    return bytes(document.tobytes())


@ENGINES
def test_forms_notes_and_attached_files(engine: str) -> None:
    document = parse(form(), engine)
    found = [(e.kind, document.text[e.start : e.end]) for e in document.elements]
    assert ("paragraph", "Titular: Lucía Núñez") in found
    assert "Cuota anual: 120" in document.text
    assert ("paragraph", "[x] Acepto las bases") in found
    assert document.text.count("Lucía Núñez") == 1
    assert "rechaza" not in document.text
    assert "vacio" not in document.text
    assert "Comentario visible" in document.text
    assert ("note", "Revisar con Ana") in found
    assert document.warnings == ("files attached to it are not read: datos.csv",)


def headed(lines: Iterable[tuple[str, float, float]], number: int) -> PdfPage:
    blocks = [PdfBlock((PdfLine(text, (60, y, 300, y + size), size),)) for text, y, size in lines]
    return PdfPage(number, 600, 800, tuple(blocks))


def left(*pages: PdfPage) -> list[list[str]]:
    return [page.text.splitlines() for page in drop_furniture(pages)]


BODY = [(PROSE, 300.0, 11.0)]


@pytest.mark.parametrize(
    ("first", "second", "goes"),
    [
        (("Comunidad de Regantes", 30, 8), ("Comunidad de Regantes", 30, 8), True),  # small
        (("Comunidad de Regantes", 30, 11), ("Comunidad de Regantes", 30, 11), False),
        (("página 1 de 2", 770, 11), ("página 2 de 2", 770, 11), True),  # counts the pages
        (("Factura 7", 770, 11), ("Factura 9", 770, 11), False),
        (("Comunidad de Regantes", 200, 8), ("Comunidad de Regantes", 200, 8), False),  # inside
    ],
)
def test_what_stands_on_two_pages(
    first: tuple[str, float, float], second: tuple[str, float, float], goes: bool
) -> None:
    pages = left(headed([first, *BODY], 1), headed([second, *BODY], 2))
    assert [len(lines) for lines in pages] == ([1, 1] if goes else [2, 2])


def test_pdfium_gives_headings_too() -> None:
    document = pymupdf.open()
    on = document.new_page()
    on.insert_text((72, 80), "Manual del riego", fontsize=22)
    on.insert_text((72, 120), PROSE[:90], fontsize=11)
    on.insert_text((72, 160), "Caudales", fontsize=11, fontname="hebo")
    on.insert_text((72, 190), PROSE[90:180], fontsize=11)
    data = bytes(document.tobytes())
    both = [
        [(e.kind, e.level, e.heading) for e in parse(data, engine).elements]
        for engine in ("pymupdf", "pypdfium2")
    ]
    assert both[0] == both[1]
    assert [kind for kind, _, _ in both[1]] == ["heading", "paragraph", "heading", "paragraph"]


@ENGINES
def test_places_count_from_the_crop_box(engine: str) -> None:
    document = pymupdf.open()
    on = document.new_page(width=600, height=800)
    on.insert_text((200, 300), "dentro del recorte", fontsize=12)
    on.set_cropbox(pymupdf.Rect(100, 200, 500, 700))
    (element,) = parse(bytes(document.tobytes()), engine).elements
    assert element.bbox is not None
    assert element.bbox[0] == pytest.approx(100, abs=2)  # 200 - 100
    assert element.bbox[3] == pytest.approx(103, abs=4)  # 300 - 200, and the descenders


@ENGINES
@pytest.mark.parametrize("grey", [True, False])
def test_pages_are_drawn_as_they_are_shown(engine: str, grey: bool) -> None:
    document = pymupdf.open()
    for number in range(3):
        document.new_page(width=200, height=100 + number)
    document[2].set_rotation(90)
    data = bytes(document.tobytes())
    settings = ParseSettings(pdf_engine=engine)  # type: ignore[arg-type]
    drawn = list(engine_of(settings).draw(data, [3, 1, 9], 72, grey=grey))
    assert [(page.number, page.image.size) for page in drawn] == [(3, (102, 200)), (1, (200, 100))]
    assert {page.image.mode for page in drawn} == {"L" if grey else "RGB"}


@ENGINES
def test_bare_pages_are_named_where_ocr_is_off(engine: str) -> None:
    data = scanned([prose, picture(prose), picture(prose), lambda _blank: None])
    document = parse(data, engine)
    assert document.warnings == (
        "page 4: no text",
        'pages 2-3: no text, OCR is off: parse.ocr = "off"',
    )
    assert (document.pages, document.ocr_pages) == (4, ())
    with pytest.raises(ParseError, match="no text on any of 1 pages, OCR is off"):
        parse(scanned([picture(prose)]), engine)


@ENGINES
@NEEDS_TESSERACT
def test_a_garbled_layer_gives_way_to_ocr(engine: str) -> None:
    scan = pymupdf.open("pdf", scanned([picture(prose)]))
    for y in (80, 100):
        scan[0].insert_text((60, y), GARBAGE, fontsize=12, render_mode=3)
    data = bytes(scan.tobytes())
    before = parse(data, engine)
    assert "teership" in before.text
    assert before.warnings[0].startswith("page 1: its text does not read like words; OCR is off")
    after = parse(data, engine, "tesseract")
    assert "libro que guarda el secretario" in after.text
    assert "teership" not in after.text
    assert after.ocr_pages == (1,)


@ENGINES
def test_a_sound_layer_on_a_scan_is_kept(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_arguments: Any) -> None:
        raise AssertionError("nothing is to be read by OCR")

    monkeypatch.setattr("ingest.parse.pdf.with_ocr.Recogniser", never)
    image = picture(prose)
    scan = pymupdf.open("pdf", scanned([image]))
    for number, line in enumerate(TEXT):
        scan[0].insert_text((60, 80 + 22 * number), line, fontsize=12, render_mode=3)
    assert TEXT[0] in parse(bytes(scan.tobytes()), engine, "auto").text
