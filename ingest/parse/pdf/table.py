"""Tables of a PDF, told by cells that stand apart in rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.parse.pdf.pages import PdfBlock, PdfLine
from ingest.parse.pdf.text import clean, undoubled

CELL_GAP = 0.8  # of the line's height: nearer pieces are one cell
ROW_GAP = 3.0  # of the line's height: rows farther apart are two tables
# A list's or a heading's mark, which stands apart from its text and is no cell.
MARKER = re.compile(r"[•‣▪◦·●○■–—*\-]|\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z](?:\.\d{1,3})*)[.)]?")


@dataclass(frozen=True, slots=True)
class Cell:
    """Text between two x positions of one row."""

    text: str
    x0: float
    x1: float


def rows_of(lines: Sequence[PdfLine]) -> list[list[Cell]]:
    """Visual rows of cells, from left to right; a line of running text is a row of one cell."""
    rows: list[list[PdfLine]] = []
    for line in lines:
        if rows and _same_row(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    found = (_cells(sorted(row, key=lambda line: line.box[0])) for row in rows)
    return [cells for cells in found if cells]


def is_table(rows: Sequence[Sequence[Cell]]) -> bool:
    """Two rows or more, and most of them with several cells."""
    return len(rows) > 1 and sum(len(row) > 1 for row in rows) * 2 > len(rows)


def merge_rows(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    """`blocks` with neighbouring single rows of cells put together."""
    merged: list[PdfBlock] = []
    grows = False
    for block in blocks:
        is_row = _is_row(block)
        if is_row and grows and _next_row(merged[-1], block):
            merged[-1] = PdfBlock((*merged[-1].lines, *block.lines))
        else:
            merged.append(block)
        grows = is_row
    return merged


def table_cells(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """Rows of texts, each in the column of the fullest row that it lies at."""
    columns = max(rows, key=len)
    laid: list[list[str]] = []
    for row in rows:
        texts = [""] * len(columns)
        for cell in row:
            at = max(range(len(columns)), key=lambda i: _overlap(columns[i], cell))
            texts[at] = f"{texts[at]} {cell.text}".strip()
        laid.append(texts)
    return laid


def _cells(row: Sequence[PdfLine]) -> list[Cell]:
    cells: list[Cell] = []
    for line in row:
        text = undoubled(clean(line.text))
        if not text:
            continue
        x0, y0, x1, y1 = line.box
        near = cells and x0 - cells[-1].x1 < CELL_GAP * (y1 - y0)
        if cells and (near or _is_marker(cells[-1].text, text)):
            cells[-1] = Cell(f"{cells[-1].text} {text}", cells[-1].x0, x1)
        else:
            cells.append(Cell(text, x0, x1))
    return cells


def _is_marker(text: str, following: str) -> bool:
    return MARKER.fullmatch(text) is not None and sum(c.isalpha() for c in following) > 3


def _overlap(column: Cell, cell: Cell) -> float:
    """Shared width in points; negative is the distance between the two."""
    return min(column.x1, cell.x1) - max(column.x0, cell.x0)


def _is_row(block: PdfBlock) -> bool:
    rows = rows_of(block.lines)
    return len(rows) == 1 and len(rows[0]) > 1


def _next_row(above: PdfBlock, block: PdfBlock) -> bool:
    height = block.box[3] - block.box[1]
    return -0.5 * height < block.box[1] - above.box[3] < ROW_GAP * height


def _same_row(a: PdfLine, b: PdfLine) -> bool:
    shared = min(a.box[3], b.box[3]) - max(a.box[1], b.box[1])
    apart = a.box[2] <= b.box[0] + 1 or b.box[2] <= a.box[0] + 1
    return apart and shared > 0.5 * min(a.box[3] - a.box[1], b.box[3] - b.box[1])
