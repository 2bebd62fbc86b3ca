"""Recognised lines as the blocks of a page, in points."""

from collections import defaultdict

from ingest.parse.ocr.cache import Recognised
from ingest.parse.pdf.gather import gather
from ingest.parse.pdf.order import MIN_COLUMN_CHARS
from ingest.parse.pdf.pages import Box, PdfBlock, PdfLine, PdfPage


def page_of(number: int, found: Recognised, dpi: float) -> PdfPage:
    """The page that an image shows; its lines have no font size, for their height says too little."""
    scale = 72 / dpi
    blocks: dict[int, list[PdfLine]] = defaultdict(list)
    for line in found.lines:
        x0, y0, x1, y1 = (round(value * scale, 2) for value in line.box)
        blocks[line.block].append(PdfLine(line.text, (x0, y0, x1, y1)))
    loose = sorted(blocks.pop(0, []), key=lambda line: (line.box[1], line.box[0]))
    made = _without_columns_of_cells([PdfBlock(tuple(lines)) for lines in blocks.values()])
    made += gather(loose)
    return PdfPage(number, found.width * scale, found.height * scale, tuple(made), turn=found.turn)


def _without_columns_of_cells(blocks: list[PdfBlock]) -> list[PdfBlock]:
    """A table's columns, which an engine takes for paragraphs, made rows of cells."""
    short = [block for block in blocks if _is_short(block)]
    columns = [block for block in short if any(_beside(block, other) for other in short)]
    made = [block for block in blocks if block not in columns]
    rows: list[list[PdfLine]] = []
    cells = (line for block in columns for line in block.lines)
    for cell in sorted(cells, key=lambda line: (line.box[1], line.box[0])):
        if rows and _level(rows[-1][-1].box, cell.box):
            rows[-1].append(cell)
        else:
            rows.append([cell])
    return made + [PdfBlock(tuple(row)) for row in rows]


def _is_short(block: PdfBlock) -> bool:
    return sum(len(line.text) for line in block.lines) < MIN_COLUMN_CHARS * len(block.lines)


def _beside(a: PdfBlock, b: PdfBlock) -> bool:
    level = min(a.box[3], b.box[3]) > max(a.box[1], b.box[1])
    return level and (a.box[2] < b.box[0] or b.box[2] < a.box[0])


def _level(a: Box, b: Box) -> bool:
    return min(a[3], b[3]) - max(a[1], b[1]) > 0.5 * min(a[3] - a[1], b[3] - b[1])
