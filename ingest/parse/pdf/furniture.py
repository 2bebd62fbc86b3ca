"""Headers and footers that a document repeats on its pages."""

import re
from collections import defaultdict
from dataclasses import replace

from ingest.parse.pdf.pages import PdfBlock, PdfLine, PdfPage

MIN_PAGES = 3
ZONE = 0.12  # share of the page's height, at the top and at the bottom
STEP = 6.0  # points: two lines nearer than this are at the same place
_DIGITS = re.compile(r"\d+")

Key = tuple[str, int]


def drop_furniture(pages: tuple[PdfPage, ...]) -> tuple[PdfPage, ...]:
    """`pages` without lines of one text, digits aside, at one place on `MIN_PAGES` or more."""
    seen: dict[Key, set[int]] = defaultdict(set)
    for page in pages:
        for key in (
            key for block in page.blocks for line in block.lines for key in _keys(line, page)
        ):
            seen[key].add(page.number)
    repeated = {key for key, numbers in seen.items() if len(numbers) >= MIN_PAGES}
    if not repeated:
        return pages
    return tuple(replace(page, blocks=_kept(page, repeated)) for page in pages)


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
