"""The pages of a PDF or an image, one at a time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ingest.look.pixels import Pictured
from ingest.parse.image import enlarged, frames, opened
from ingest.parse.ocr.layout import page_of
from ingest.parse.ocr.recognise import Recogniser
from ingest.parse.pdf.build import build
from ingest.parse.pdf.forms import with_fields
from ingest.parse.pdf.judge import doubt
from ingest.parse.pdf.lock import ONE_AT_A_TIME
from ingest.parse.pdf.pages import MAX_PIXELS, Box, Drawn, PdfPage
from ingest.parse.pdf.parser import engine_of
from kb.errors import ParseError, UsageError
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True, slots=True)
class Piece:
    """One element of a page."""

    kind: str
    text: str
    bbox: Box  # in points, as an element's


class Pages(Protocol):
    """What can be looked at."""

    pages: tuple[PdfPage, ...]  # without OCR: an image's have a size and no text
    ocr_dpi: int  # at which they are drawn for OCR; 0: as the settings say

    def draw(self, number: int, dpi: int) -> "Image":
        """One page in colour, as it is shown."""
        ...


def open_pages(data: bytes, parser: str, settings: ParseSettings) -> Pages:
    """The pages of a file.

    Raises:
        UsageError: it is of a format without pages.
        ParseError: it is broken.
    """
    if parser == "pdf":
        return _PdfPages(data, settings)
    if parser == "image":
        return _ImagePages(data)
    raise UsageError("there are no pages to look at: this works for PDF and images")


def page_at(pages: Pages, number: int) -> PdfPage:
    """A page by its number, from 1.

    Raises:
        UsageError: there is no such page.
        ParseError: it is broken.
    """
    count = len(pages.pages)
    if not 1 <= number <= count:
        raise UsageError(f"there is no page {number}: --page is 1 to {count}")
    page = pages.pages[number - 1]
    if page.error:
        raise ParseError(f"page {number}: {page.error}")
    return page


def picture_of(pages: Pages, number: int, region: Box | None, dpi: int) -> "Image":
    """A page, or a region of it in points, in colour. Raises as `page_at`, and for an empty region."""
    page = page_at(pages, number)
    image = pages.draw(number, dpi)
    if region is None:
        return image
    x0, y0, x1, y1 = _inside(region, page)
    across, down = image.width / page.width, image.height / page.height
    return image.crop((int(x0 * across), int(y0 * down), int(x1 * across), int(y1 * down)))


def pieces_of(
    pages: Pages, number: int, region: Box | None, settings: ParseSettings, *, ocr: bool
) -> list[Piece]:
    """What stands on a page or in a region; read by OCR where it is asked for or the page is bare.

    Raises:
        Unavailable: there is no OCR.
        UsageError, ParseError: as `page_at`.
    """
    page = page_at(pages, number)
    if not ocr and not doubt(page):
        found = pieces_of_text(page)
        return [piece for piece in found if region is None or _centre_in(piece.bbox, region)]
    left, top, right, _ = _inside(region or (0, 0, page.width, page.height), page)
    image, _ = enlarged(picture_of(pages, number, region, pages.ocr_dpi or settings.ocr_dpi))
    dots = 72 * image.width / (right - left)  # an inch
    read = page_of(
        number, Recogniser(settings).read(image.convert("L"), max(round(dots), 72)), dots
    )
    return [replace(piece, bbox=_moved(piece.bbox, left, top)) for piece in pieces_of_text(read)]


def pictured(page: PdfPage, characters: int, *, has_table: bool) -> Pictured:
    """What a page shows besides its text, of which `characters` are known."""
    curves = 0 if has_table else page.drawn.paths
    return Pictured(page.number, page.drawn.images, curves, characters)


def pieces_of_text(page: PdfPage) -> list[Piece]:
    """The elements of a page that has been read."""
    built = build((page,))
    text = built.text
    return [
        Piece(e.kind, text[e.start : e.end], e.bbox) for e in built.elements if e.bbox is not None
    ]


def _inside(region: Box, page: PdfPage) -> Box:
    x0, y0 = max(0.0, region[0]), max(0.0, region[1])
    x1, y1 = min(page.width, region[2]), min(page.height, region[3])
    if x1 - x0 < 1 or y1 - y0 < 1:
        raise UsageError(
            f"the region lies outside the page: it is {page.width:g} wide and {page.height:g} high"
        )
    return x0, y0, x1, y1


def _centre_in(box: Box, region: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return region[0] <= x <= region[2] and region[1] <= y <= region[3]


def _moved(box: Box, x: float, y: float) -> Box:
    return (box[0] + x, box[1] + y, box[2] + x, box[3] + y)


class _PdfPages:
    ocr_dpi = 0

    def __init__(self, data: bytes, settings: ParseSettings) -> None:
        self._data = data
        self._engine = engine_of(settings)
        with ONE_AT_A_TIME:
            self.pages = tuple(map(with_fields, self._engine.read(data).pages))

    def draw(self, number: int, dpi: int) -> "Image":
        with ONE_AT_A_TIME:
            drawn = next(self._engine.draw(self._data, [number], dpi, grey=False), None)
        if drawn is None:
            raise ParseError(f"page {number} cannot be drawn")
        return drawn.image


class _ImagePages:
    """A pixel is a point, so that 72 dots an inch are the image itself."""

    ocr_dpi = 72

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.pages = tuple(
            PdfPage(number, image.width, image.height, (), drawn=Drawn(images=1.0))
            for number, image in enumerate(self._all(), 1)
        )

    def draw(self, number: int, dpi: int) -> "Image":
        image = next(image for n, image in enumerate(self._all(), 1) if n == number)
        scale = min(dpi / 72, (MAX_PIXELS / (image.width * image.height)) ** 0.5)
        if scale == 1:
            return image
        return image.resize((max(1, int(image.width * scale)), max(1, int(image.height * scale))))

    def _all(self) -> Iterator["Image"]:
        return frames(opened(self._data))
