"""Pages of blocks to the elements of a document."""

from collections.abc import Sequence
from dataclasses import replace

from ingest.parse.extracted import ExtractedText
from ingest.parse.pdf.blocks import block_text, merge_headings, table_of, without_echoes
from ingest.parse.pdf.furniture import drop_furniture
from ingest.parse.pdf.headings import HeadingSizes
from ingest.parse.pdf.order import reading_order
from ingest.parse.pdf.pages import PdfBlock, PdfPage
from ingest.parse.pdf.table import merge_rows
from ingest.parse.pdf.text import clean, hyphenated_words
from ingest.parse.table.build import add_table


def build(pages: tuple[PdfPage, ...]) -> ExtractedText:
    """All elements in reading order, repeated headers and footers left out.

    Where nothing else is there, these are what the document says, and stay.
    """
    built = _build([_ordered(page) for page in drop_furniture(pages)])
    return built if built.elements else _build([_ordered(page) for page in pages])


def opening(built: ExtractedText) -> list[str]:
    """The headings among the first elements: one may be the title."""
    text = built.text
    return [text[e.start : e.end] for e in built.elements[:3] if e.kind == "heading"]


def _ordered(page: PdfPage) -> PdfPage:
    blocks = tuple(merge_rows(reading_order(without_echoes(page.blocks))))
    return replace(page, blocks=blocks)


def _build(pages: Sequence[PdfPage]) -> ExtractedText:
    blocks = [block for page in pages for block in page.blocks]
    sizes = HeadingSizes.of(blocks)
    keep = hyphenated_words(clean(line.text) for block in blocks for line in block.lines)
    built = ExtractedText()
    for page in pages:
        for block in merge_headings(page.blocks, sizes):
            _add(built, block, page, sizes, keep)
        for note in page.notes:
            built.add("note", note.text, page=page.number, bbox=note.box)
    return built


def _add(
    built: ExtractedText, block: PdfBlock, page: PdfPage, sizes: HeadingSizes, keep: frozenset[str]
) -> None:
    rows = table_of(block)
    if rows:
        add_table(built, rows, page=page.number, bbox=page.shown(block.box))
        return
    text, kind = block_text(block, keep)
    level = sizes.level(block) if kind == "paragraph" else 0
    if level:
        kind = "heading"
    built.add(kind, text, level=level, page=page.number, bbox=page.shown(block.box))
