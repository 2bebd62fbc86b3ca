"""Headers and footers that a document repeats on its pages."""

import re
from collections import defaultdict
from dataclasses import replace

from ingest.parse.pdf.headings import HeadingSizes
from ingest.parse.pdf.pages import PdfBlock, PdfLine, PdfPage

MIN_PAGES = 3
ZONE = 0.12  # share of the page's height, at the top and at the bottom
STEP = 6.0  # points: two lines nearer than this are at the same place
SMALL = 0.95  # of the body's size
_DIGITS = re.compile(r"\d+")

Key = tuple[str, int]
Seen = list[tuple[int, PdfLine]]  # page numbers and lines


def drop_furniture(pages: tuple[PdfPage, ...]) -> tuple[PdfPage, ...]:
    """`pages` without lines of one text, digits aside, at one place on `MIN_PAGES` or more.

    Two pages are enough where the line is smaller than the body, or counts the pages.
    """
    seen: dict[Key, Seen] = defaultdict(list)
    for page in pages:
        for line in (line for block in page.blocks for line in block.lines):
            for key in _keys(line, page):
                seen[key].append((page.number, line))
    body = HeadingSizes.of(block for page in pages for block in page.blocks).body
    repeated = {key for key, places in seen.items() if _is_furniture(places, body)}
    if not repeated:
        return pages
    return tuple(replace(page, blocks=_kept(page, repeated)) for page in pages)


def _is_furniture(places: Seen, body: float) -> bool:
    numbers = {number for number, _ in places}
    if len(numbers) != 2:
        return len(numbers) >= MIN_PAGES
    small = all(0 < line.size < body * SMALL for _, line in places)
    return small or _counts_pages(places)


def _counts_pages(places: Seen) -> bool:
    """Whether a number in the line grows as the page's does."""
    (first, a), (second, b) = places[0], places[-1]
    before, after = (_DIGITS.findall(line.text) for line in (a, b))
    steps = [int(y) - int(x) for x, y in zip(before, after, strict=True)]
    return second - first in steps


def _kept(page: PdfPage, repeated: set[Key]) -> tuple[PdfBlock, ...]:
    blocks: list[PdfBlock] = []
    for block in page.blocks:
        lines = tuple(line for line in block.lines if not repeated.intersection(_keys(line, page)))
        if lines:
            blocks.append(PdfBlock(lines))
    return tuple(blocks)


def _keys(line: PdfLine, page: PdfPage) -> tuple[Key, ...]:
    """Text and place; two places, so that lines on both sides of a step's edge meet."""
    middle = (line.box[1] + line.box[3]) / 2
    if page.height <= 0 or ZONE * page.height < middle < (1 - ZONE) * page.height:
        return ()
    text = _DIGITS.sub("#", " ".join(line.text.split()))
    step = int(middle // STEP)
    return ((text, step), (text, step + 1))
