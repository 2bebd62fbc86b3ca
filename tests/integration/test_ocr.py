"""Scans read by tesseract, from pixels to elements."""

from pathlib import Path

import pymupdf
import pytest

from ingest.parse.image import ImageParser
from ingest.parse.pdf.parser import PdfParser
from ingest.parse.surroundings import Surroundings, within
from kb.records import Document
from kb.settings import ParseSettings
from tests.scans import NEEDS_TESSERACT, columns, encoded, picture, prose, scanned, table

pytestmark = NEEDS_TESSERACT
PHRASE = "en un libro que guarda el secretario"


def parse(data: bytes, engine: str = "pymupdf") -> Document:
    settings = ParseSettings(pdf_engine=engine, ocr="tesseract", ocr_dpi=150)  # type: ignore[arg-type]
    return PdfParser(settings).parse(data, "")


@pytest.mark.parametrize("engine", ["pymupdf", "pypdfium2"])
def test_only_bare_pages_are_read(engine: str) -> None:
    document = parse(scanned([prose, picture(table), lambda _blank: None]), engine)
    assert (document.pages, document.ocr_pages) == (3, (2,))
    assert document.warnings == ("page 3: no text",)
    assert {e.page for e in document.elements} == {1, 2}
    assert "Modelo | Caudal | Precio\nBK12 | 45 | 310\nBS30 | 120 | 890" in document.text


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_sideways_scans_are_turned(turned: int) -> None:
    document = parse(scanned([picture(prose, turned)]))
    assert PHRASE in document.text
    assert document.language == "es"
    x0, y0, x1, y1 = document.elements[0].bbox or (0, 0, 0, 0)
    # the text stands at the top of the page as it was before it was turned
    left, low = x0 < 842 - x1, y0 > 842 - y1
    assert {90: x1 > 700, 180: low, 270: left}[turned]


def test_a_page_turned_by_the_file_is_read_as_it_is_shown() -> None:
    turned = pymupdf.open("pdf", scanned([picture(prose, 90)]))
    turned[0].set_rotation(270)
    document = parse(bytes(turned.tobytes()))
    assert PHRASE in document.text
    assert (document.elements[0].bbox or (0, 0, 0, 99))[3] < 200  # at the top


def test_columns_of_a_scan_are_read_one_after_the_other() -> None:
    text = parse(scanned([picture(columns)])).text
    assert text.count("penstock") == 1
    assert text.rindex("guarda") < text.index("penstock")


def test_text_drawn_as_curves_is_read() -> None:
    page = pymupdf.open().new_page()
    prose(page)
    curves = pymupdf.open("svg", page.get_svg_image(text_as_path=True).encode())
    document = parse(curves.convert_to_pdf())
    assert PHRASE in document.text
    assert document.ocr_pages == (1,)


def test_an_image_is_read_and_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(picture(prose, 90), "JPEG", quality=80)
    with within(Surroundings(tmp_path)):
        first = ImageParser(ParseSettings(ocr="tesseract")).parse(data, "")
        assert PHRASE in first.text
        monkeypatch.setattr("ingest.parse.ocr.tesseract.TesseractOcr.read", None)
        assert ImageParser(ParseSettings(ocr="tesseract")).parse(data, "") == first


def test_the_grain_of_a_photograph_is_no_text() -> None:
    from PIL import Image

    from kb.errors import ParseError

    noise = Image.effect_noise((400, 300), 90)
    with pytest.raises(ParseError, match="OCR found no text"):
        ImageParser(ParseSettings(ocr="tesseract")).parse(encoded(noise, "PNG"), "")
