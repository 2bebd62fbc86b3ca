"""Blocks of a PDF to the blocks of a document."""

import re
from collections.abc import Iterable, Sequence

from ingest.parse.pdf.headings import HeadingSizes
from ingest.parse.pdf.pages import PdfBlock, PdfLine
from ingest.parse.pdf.table import is_table, rows_of, table_cells
from ingest.parse.pdf.text import join_lines, without_controls
from kb.records import ElementKind

_BULLET = re.compile(r"[•‣▪◦●○■]\s*\S")
_NUMBER = re.compile(r"\(?(?:\d{1,2}|[a-z])[.)]\s+\S")


def table_of(block: PdfBlock) -> list[list[str]]:
    """The block's rows where it is a table, else none."""
    rows = rows_of(block.lines)
    if not is_table(rows):
        return []
    return [[without_controls(text) for text in row] for row in table_cells(rows)]


def block_text(block: PdfBlock, keep_hyphen: frozenset[str]) -> tuple[str, ElementKind]:
    """The text and the kind of a block that is no table; each item of a list starts a line."""
    lines = [" ".join(cell.text for cell in row) for row in rows_of(block.lines)]
    numbered = bool(lines) and _NUMBER.match(lines[0]) is not None
    items = [""]
    for line in lines:
        if items[-1] and (_BULLET.match(line) or (numbered and _NUMBER.match(line))):
            items.append("")
        items[-1] = join_lines(items[-1], line, keep_hyphen)
    is_list = _BULLET.match(items[0]) or (numbered and len(items) > 1)
    return without_controls("\n".join(items)), "list" if is_list else "paragraph"


def by_style(lines: Iterable[PdfLine]) -> list[PdfBlock]:
    """Lines as blocks, cut where the font size or the weight changes: a heading is a block of its own."""
    made: list[list[PdfLine]] = []
    for line in lines:
        if made and _same_style(made[-1][-1], line):
            made[-1].append(line)
        else:
            made.append([line])
    return [PdfBlock(tuple(block)) for block in made]


def without_echoes(blocks: Iterable[PdfBlock]) -> list[PdfBlock]:
    """Blocks without lines drawn twice at one place, which is how some programs make bold."""
    kept: list[PdfBlock] = []
    recent: list[PdfLine] = []
    for block in blocks:
        lines: list[PdfLine] = []
        for line in block.lines:
            if not any(_echo(line, other) for other in recent[-4:]):
                lines.append(line)
                recent.append(line)
        if lines:
            kept.append(PdfBlock(tuple(lines)))
    return kept


def merge_headings(blocks: Sequence[PdfBlock], sizes: HeadingSizes) -> list[PdfBlock]:
    """`blocks` with the lines of one long heading put together."""
    merged: list[PdfBlock] = []
    for block in blocks:
        if merged and _goes_on(merged[-1], block, sizes):
            merged[-1] = PdfBlock((*merged[-1].lines, *block.lines))
        else:
            merged.append(block)
    return merged


def _goes_on(above: PdfBlock, block: PdfBlock, sizes: HeadingSizes) -> bool:
    level = sizes.level(above)
    if not level or level != sizes.level(block) or len(above.lines) + len(block.lines) > 3:
        return False
    return -0.5 * block.size < block.box[1] - above.box[3] < 0.5 * block.size


def _same_style(a: PdfLine, b: PdfLine) -> bool:
    return (abs(a.size - b.size) < 0.1 * max(a.size, b.size) and a.bold == b.bold) or _same_row(
        a, b
    )


def _same_row(a: PdfLine, b: PdfLine) -> bool:
    return min(a.box[3], b.box[3]) - max(a.box[1], b.box[1]) > 0.5 * (b.box[3] - b.box[1])


def _echo(a: PdfLine, b: PdfLine) -> bool:
    return a.text == b.text and all(abs(x - y) < 2.0 for x, y in zip(a.box, b.box, strict=True))
