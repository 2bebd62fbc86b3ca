"""Which pages of a PDF have no text that could be trusted."""

from ingest.parse.pdf.pages import PdfPage
from ingest.parse.wordlike import wording

UNREADABLE = 0.5  # share of characters without a meaning: more is no text at all
BROKEN_GLYPHS = 0.05
FEW = 100  # characters: a stamp or a page number upon a scan
MOST_OF_PAGE = 0.5  # under an image
SCAN_SHARE = 0.9  # of words, in the layer that an OCR program left on a scan
DRAWN_SHARE = 0.45  # of words, in text that the page itself shows
ENOUGH = 60  # characters in words: less tells nothing


def doubt(page: PdfPage) -> str:
    """Why a page's text is not to be trusted; ``""``: it is sound, or there is nothing on the page."""
    if page.error:
        return ""
    text = page.text
    if not text.strip():
        return "no text" if page.drawn.images or page.drawn.paths else ""
    found = wording(text)
    if found.glyphs > BROKEN_GLYPHS:
        return "no text" if found.glyphs > UNREADABLE else "its font has no table of characters"
    scan = page.drawn.images >= MOST_OF_PAGE
    if scan and len("".join(text.split())) < FEW:
        return "little text upon an image"
    least = SCAN_SHARE if scan or page.drawn.hidden else DRAWN_SHARE
    if found.words >= ENOUGH and found.share < least:
        return "its text does not read like words"
    return ""


def is_bare(page: PdfPage) -> bool:
    """Whether there is nothing on the page that could be indexed."""
    text = page.text
    return not text.strip() or wording(text).glyphs > UNREADABLE
