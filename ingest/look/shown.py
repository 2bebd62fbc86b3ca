"""What a file shows besides its text: the pages that are worth a look, drawn small."""

from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

import msgspec

from ingest.look.pixels import MOSTLY, Pictured
from ingest.parse.ocr.recognise import blank
from ingest.parse.surroundings import current
from kb.errors import ParseError
from kb.records import Document
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from PIL.Image import Image

    from ingest.look.pages import Pages

WITH_PAGES = ("pdf", "image")  # parsers of what can be looked at
SIDE = 1568  # pixels of the longer side: what vision models take without making it smaller
_DPI = 150  # more shows nothing more on a page of letter size
_QUALITY = 85
SCAN = 400  # characters that OCR read on a page that is one image: a scan of text, no picture


class View(msgspec.Struct, frozen=True, array_like=True):
    """A page as a JPEG."""

    page: int
    width: int  # pixels
    height: int
    jpeg: bytes


class Shown(msgspec.Struct, frozen=True, array_like=True):
    """The pages of a document that are worth a look, in order."""

    views: tuple[View, ...] = ()
    left_out: int = 0  # more pages with pictures than are looked at
    broken: tuple[str, ...] = ()  # why pages could not be drawn


encode = msgspec.msgpack.Encoder().encode
decode = msgspec.msgpack.Decoder(Shown).decode


def shown_by(data: bytes, parser: str, settings: ParseSettings, document: Document) -> Shown:
    """The views of a file's pages that hold what its text does not tell.

    These are pages with an image or a drawing, and pages without any text that are not blank; not
    pages of text, and not scans of text that OCR has read. Where there are more than the settings
    have described, those whose pictures are largest.

    Raises:
        ParseError: it is broken.
    """
    from ingest.look.pages import open_pages

    pages = open_pages(data, parser, settings)
    worth = worth_a_look(pages, document)
    largest = sorted(worth, key=lambda page: (-page.images, -page.curves, page.page))
    chosen = sorted(page.page for page in largest[: settings.describe_pages])
    views: list[View] = []
    broken: list[str] = []
    for number in chosen:
        try:
            views.extend(_view(pages, number))
        except ParseError as error:
            broken.append(f"page {number}: {error}")
        current().alive()
    return Shown(tuple(views), len(worth) - len(chosen), tuple(broken))


def worth_a_look(pages: "Pages", document: Document) -> list[Pictured]:
    """The pages that show something besides the text that `document` has of them."""
    from ingest.look.pages import pictured

    known: Counter[int] = Counter()
    for element in document.elements:
        known[element.page or 1] += element.end - element.start
    tables = {element.page or 1 for element in document.elements if element.kind == "table"}
    by_ocr = set(document.ocr_pages)
    found: list[Pictured] = []
    for page in pages.pages:
        if page.error:
            continue
        seen = pictured(page, known[page.number], has_table=page.number in tables)
        is_scan = seen.images >= MOSTLY and (page.number in by_ocr or page.drawn.hidden)
        if is_scan and seen.characters >= SCAN:
            continue
        is_bare = not seen.characters and bool(seen.images or seen.curves)
        if seen.has_picture or is_bare:
            found.append(seen)
    return found


def _view(pages: "Pages", number: int) -> Iterator[View]:
    """One, or none of a page that is blank."""
    page = pages.pages[number - 1]
    inches = max(page.width, page.height, 1.0) / 72
    dpi = pages.ocr_dpi or max(18, min(_DPI, int(SIDE / inches)))
    image = _bounded(pages.draw(number, dpi))
    if blank(image):
        return
    buffer = BytesIO()
    image.save(buffer, "JPEG", quality=_QUALITY)
    yield View(number, image.width, image.height, buffer.getvalue())


def _bounded(image: "Image") -> "Image":
    from PIL import Image

    image = image.convert("RGB")
    image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    return image
