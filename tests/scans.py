"""Pages that look scanned, made here: drawn by pymupdf, kept as images."""

import io
import shutil
from collections.abc import Callable, Iterable
from typing import Any

import pymupdf
import pytest
from PIL import Image

from kb.errors import Unavailable
from kb.registry import load
from kb.settings import ParseSettings

Draw = Callable[[Any], object]
DPI = 150
TEXT = (
    "El caudal de la acequia mayor se reparte cada lunes entre los regantes de la vega.",
    "La junta anota los turnos en un libro que guarda el secretario.",
    "Nadie puede abrir una compuerta sin permiso escrito del guarda.",
    "The penstock must be drained before the first frost of the year.",
)
NEEDS_TESSERACT = pytest.mark.skipif(
    shutil.which("tesseract") is None,
    reason="tesseract is not installed: apt-get install tesseract-ocr tesseract-ocr-spa",
)


def usable(engine: str) -> Any:
    """An OCR engine, or a skipped test."""
    try:
        return load("ocr", engine)(ParseSettings(ocr=engine))  # type: ignore[arg-type]
    except Unavailable as error:
        pytest.skip(str(error))


def prose(page: Any) -> None:
    for number, line in enumerate(TEXT):
        page.insert_text((60, 80 + 22 * number), line, fontsize=12)


def table(page: Any) -> None:
    cells = [["Modelo", "Caudal", "Precio"], ["BK12", "45", "310"], ["BS30", "120", "890"]]
    for r, row in enumerate(cells):
        for c, cell in enumerate(row):
            page.insert_text((60 + 150 * c, 100 + 24 * r), cell, fontsize=12)


def columns(page: Any) -> None:
    left = " ".join(TEXT[:3]) * 2
    right = TEXT[3] + " A blocked trash rack reduces the head and makes the turbine hum." * 3
    page.insert_textbox((50, 90, 285, 500), left, fontsize=11)
    page.insert_textbox((310, 90, 545, 500), right, fontsize=11)


def picture(draw: Draw, turned: int = 0, dpi: int = DPI) -> Image.Image:
    """A page as an image, turned clockwise."""
    page = pymupdf.open().new_page()
    draw(page)
    drawn = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (drawn.width, drawn.height), drawn.samples)
    return image.rotate(-turned, expand=True)


def scanned(images: Iterable[Image.Image | Draw]) -> bytes:
    """A PDF of images; a function draws a page with text instead."""
    document = pymupdf.open()
    for image in images:
        if not isinstance(image, Image.Image):
            image(document.new_page())
            continue
        page = document.new_page(width=image.width * 72 / DPI, height=image.height * 72 / DPI)
        page.insert_image(page.rect, stream=encoded(image, "PNG"))
    return bytes(document.tobytes())


def encoded(image: Image.Image, form: str, **save: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **save)
    return buffer.getvalue()
