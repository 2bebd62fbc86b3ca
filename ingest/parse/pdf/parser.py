"""PDF with a text layer, by page."""

import threading
from typing import Any, ClassVar

from ingest import language
from ingest.parse.decode import replace_unsafe
from ingest.parse.extracted import ExtractedText
from ingest.parse.pdf.blocks import block_text, merge_headings, table_of, without_echoes
from ingest.parse.pdf.furniture import drop_furniture
from ingest.parse.pdf.headings import HeadingSizes
from ingest.parse.pdf.order import reading_order
from ingest.parse.pdf.pages import PdfBlock, PdfEngine, PdfPage
from ingest.parse.pdf.table import merge_rows
from ingest.parse.pdf.text import clean, hyphenated_words
from ingest.parse.table.build import add_table
from ingest.parse.titles import first_title, placeholder, sensible
from kb.errors import ParseError
from kb.records import Document
from kb.settings import ParseSettings

INFO = {
    "title": "title",
    "author": "author",
    "subject": "description",
    "keywords": "keywords",
    "creationdate": "date",
    "moddate": "modified",
}
_ONE_AT_A_TIME = threading.Lock()  # neither library is safe in threads


class PdfParser:
    """Text in reading order; each element has its page and its box in points from the top left.

    Repeated page headers and footers are left out, words broken at line ends are made whole.
    Headings are guessed from font sizes, which only the engine ``pymupdf`` gives.
    """

    version: ClassVar[int] = 2

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, locked, or no page has text.
            Unavailable: the engine is not installed.
        """
        if not data:
            raise ParseError("the file is empty")
        with _ONE_AT_A_TIME:
            file = self._engine().read(data)
        if not file.pages:
            raise ParseError("broken PDF: no pages")
        pages = [_ordered(page) for page in drop_furniture(file.pages)]
        built = _build(pages)
        if not built.elements:
            # All that is there may stand in its headers.
            pages = [_ordered(page) for page in file.pages]
            built = _build(pages)
        if not built.elements:
            raise _no_text(file.pages)
        text = built.text
        metadata = _metadata(file.info)
        opening = (text[e.start : e.end] for e in built.elements[:3] if e.kind == "heading")
        return Document(
            text=text,
            elements=tuple(built.elements),
            title=first_title(map(sensible, (metadata.get("title"), *opening)), name),
            language=language.detect(text),
            metadata=metadata,
            warnings=tuple(_warnings(file.pages)),
            verbatim=False,
        )

    def _engine(self) -> PdfEngine:
        if self.settings.pdf_engine == "pypdfium2":
            from ingest.parse.pdf.pdfium_engine import PdfiumEngine

            return PdfiumEngine()
        from ingest.parse.pdf.pymupdf_engine import PymupdfEngine

        return PymupdfEngine()


def _ordered(page: PdfPage) -> PdfPage:
    blocks = tuple(merge_rows(reading_order(without_echoes(page.blocks))))
    return PdfPage(page.number, page.width, page.height, blocks)


def _build(pages: list[PdfPage]) -> ExtractedText:
    blocks = [block for page in pages for block in page.blocks]
    sizes = HeadingSizes.of(blocks)
    keep = hyphenated_words(clean(line.text) for block in blocks for line in block.lines)
    built = ExtractedText()
    for page in pages:
        for block in merge_headings(page.blocks, sizes):
            _add(built, block, page.number, sizes, keep)
    return built


def _add(
    built: ExtractedText, block: PdfBlock, page: int, sizes: HeadingSizes, keep: frozenset[str]
) -> None:
    rows = table_of(block)
    if rows:
        add_table(built, rows, page=page, bbox=block.box)
        return
    text, kind = block_text(block, keep)
    level = sizes.level(block) if kind == "paragraph" else 0
    if level:
        kind = "heading"
    built.add(kind, text, level=level, page=page, bbox=block.box)


def _metadata(info: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in info.items():
        text = replace_unsafe(" ".join(str(value).split()))
        if key in INFO and not placeholder(text):
            found[INFO[key]] = _iso_date(text) if INFO[key] in ("date", "modified") else text
    return found


def _iso_date(raw: str) -> str:
    """``D:20240501093000+02'00'`` to ``2024-05-01``; anything else stays as it is."""
    digits = raw.removeprefix("D:")[:8]
    if len(digits) == 8 and digits.isascii() and digits.isdigit():
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
    return raw


def _warnings(pages: tuple[PdfPage, ...]) -> list[str]:
    found: list[str] = []
    for page in pages:
        if page.error:
            found.append(f"page {page.number}: {page.error}")
        elif not page.blocks:
            found.append(f"page {page.number}: no text")
    return found


def _no_text(pages: tuple[PdfPage, ...]) -> ParseError:
    errors = [page.error for page in pages if page.error]
    if errors:
        return ParseError(f"no text on any of {len(pages)} pages: {errors[0]}")
    if not any(page.has_image for page in pages):
        return ParseError(f"no text on any of {len(pages)} pages")
    return ParseError(
        f"no text on any of {len(pages)} pages: it is an image; OCR is not available yet"
    )
