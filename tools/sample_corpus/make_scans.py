"""Makes the scanned PDF and the photographed plate of ``sample_corpus/formats/scanned``.

Run it with ``uv run python tools/sample_corpus/make_scans.py``. The pages are drawn, set askew and
sprinkled with dust by a random generator with a fixed seed.
"""

import io
import random
from collections.abc import Callable
from pathlib import Path

import pymupdf
from PIL import Image

FILES = Path(__file__).resolve().parents[2] / "sample_corpus" / "formats" / "scanned" / "files"
DPI = 150
DUST = 300
BOOK = """Libro de turnos de la acequia de Hontanar

Año de 1987, hojas copiadas por el secretario Anselmo Robledo.

El agua se reparte de sol a sol. Cada regante abre su compuerta
cuando suena la campana y la cierra cuando la oye otra vez.
Quien riegue fuera de su turno paga tres jornales de limpieza.

La compuerta de Valdesarmo no se abre en domingo, porque la
presa tiene que llenarse para los molinos del lunes."""
TURNS = (("Regante", "Día", "Horas"), ("Viuda de Sanz", "lunes", "6 a 10"),
         ("Molino Alto", "lunes", "10 a 19"), ("Hermanos Peña", "martes", "6 a 13"))  # fmt: skip
INDEX = """Nota del archivo

Las dos hojas que preceden se escanearon en 2024. El original está
en la caja 14, junto a los recibos del molino."""
PLATE = ("NORIA DEL SARMO, S. COOP.", "T40 cross-flow turbine", "Serial number 40-0388",
         "Net head 22 m", "Flow 155 l/s", "Speed 640 rpm",
         "Do not open before the shaft stands still")  # fmt: skip


def paper(draw: Callable[[pymupdf.Page], None], turned: int = 0) -> Image.Image:
    """A page as a scanner gives it, turned clockwise."""
    page = pymupdf.open().new_page()
    draw(page)
    drawn = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (drawn.width, drawn.height), drawn.samples)
    image = image.rotate(0.5, Image.Resampling.BICUBIC, fillcolor=255)
    dust = random.Random(turned + 1)
    for _ in range(DUST):
        image.putpixel((dust.randrange(image.width), dust.randrange(image.height)), 90)
    return image.rotate(-turned, expand=True).quantize(8)


def write(page: pymupdf.Page, text: str) -> None:
    """Lines of text from the top, the first one large."""
    y = 90.0
    for number, line in enumerate(text.splitlines()):
        page.insert_text((70, y), line, fontsize=12 if number else 18)
        y += 20 if number else 34


def write_turns(page: pymupdf.Page) -> None:
    """A table without rules."""
    page.insert_text((70, 90), "Turnos de julio", fontsize=18)
    for r, row in enumerate(TURNS):
        for c, cell in enumerate(row):
            page.insert_text((70 + 160 * c, 140 + 26 * r), cell, fontsize=12)


def make_book() -> None:
    """Two scanned pages, the second one sideways, and a page with text."""
    book = pymupdf.open()
    for image in (paper(lambda page: write(page, BOOK)), paper(write_turns, turned=90)):
        page = book.new_page(width=image.width * 72 / DPI, height=image.height * 72 / DPI)
        page.insert_image(page.rect, stream=png(image))
    write(book.new_page(), INDEX)
    book.set_metadata({"title": "Libro de turnos de Hontanar, 1987"})
    book.save(FILES / "libro-de-turnos.pdf", garbage=4, deflate=True, no_new_id=True)


def make_plate() -> None:
    """White letters on a dark plate."""
    page = pymupdf.open().new_page(width=460, height=300)
    page.draw_rect(page.rect, fill=(0.25, 0.28, 0.3))
    for number, line in enumerate(PLATE):
        page.insert_text(
            (40, 60 + 32 * number), line, fontsize=16 if number else 20, color=(1, 1, 1)
        )
    drawn = page.get_pixmap(dpi=DPI)
    image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
    (FILES / "t40-plate.png").write_bytes(png(image.quantize(16)))


def png(image: Image.Image) -> bytes:
    """The image as a PNG, as small as it gets."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


if __name__ == "__main__":
    FILES.mkdir(parents=True, exist_ok=True)
    make_book()
    make_plate()
