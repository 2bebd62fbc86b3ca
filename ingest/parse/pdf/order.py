"""Reading order of the blocks of a page, by cutting the page along its white gaps.

A simple form of the recursive XY-cut (Nagy and Seth, "Hierarchical representation of optically
scanned documents", 1984): rows first, neighbouring rows that share a gutter together, then columns.
"""

from collections.abc import Sequence

from ingest.parse.pdf.pages import PdfBlock, around

MIN_GUTTER = 6.0  # points
MIN_COLUMN_LINES = 3
MIN_COLUMN_CHARS = 15  # a line on average; less is a table's column, which is read by rows
MAX_DEPTH = 8


def reading_order(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    """`blocks` from top to bottom, columns of running text from left to right.

    A block that reaches across two columns is parted. What runs up or down the page comes last; a
    page that runs so as a whole keeps its own order.
    """
    sideways = [block for block in blocks if all(line.sideways for line in block.lines)]
    if len(sideways) * 2 > len(blocks):
        return list(blocks)
    upright = [block for block in blocks if not all(line.sideways for line in block.lines)]
    origin: dict[int, int] = {}
    pieces: list[PdfBlock] = []
    for number, block in enumerate(upright):
        for piece in _pieces(block):
            pieces.append(piece)
            if piece is not block:
                origin[id(piece)] = number
    return _rejoined(_ordered(pieces, 0), origin) + sideways


def _pieces(block: PdfBlock) -> list[PdfBlock]:
    """The block itself, or its lines where some of them stand side by side."""
    rows = _rows([PdfBlock((line,)) for line in block.lines])
    if all(len(row) == 1 for row in rows):
        return [block]
    return [PdfBlock((line,)) for line in block.lines]


def _rejoined(pieces: Sequence[PdfBlock], origin: dict[int, int]) -> list[PdfBlock]:
    """Pieces of one block, or of one column, together again; `origin` knows pieces by their id."""
    blocks: list[PdfBlock] = []
    before: PdfBlock | None = None
    for piece in pieces:
        if before is not None and _together(before, piece, origin):
            blocks[-1] = PdfBlock((*blocks[-1].lines, *piece.lines))
        else:
            blocks.append(piece)
        before = piece
    return blocks


def _together(before: PdfBlock, piece: PdfBlock, origin: dict[int, int]) -> bool:
    if id(before) not in origin or id(piece) not in origin:
        return False
    height = before.box[3] - before.box[1]
    gap = piece.box[1] - before.box[3]
    below = -0.5 * height < gap < 0.8 * height
    overlap = min(before.box[2], piece.box[2]) > max(before.box[0], piece.box[0])
    return origin[id(before)] == origin[id(piece)] or (below and overlap)


def _ordered(blocks: Sequence[PdfBlock], depth: int) -> list[PdfBlock]:
    if len(blocks) < 2 or depth > MAX_DEPTH:
        return _by_rows(blocks)
    ordered: list[PdfBlock] = []
    for group in _groups(_rows(blocks)):
        columns = _columns(group)
        if columns is None:
            ordered.extend(_by_rows(group))
        else:
            for column in columns:
                ordered.extend(_ordered(column, depth + 1))
    return ordered


def _by_rows(blocks: Sequence[PdfBlock]) -> list[PdfBlock]:
    ordered: list[PdfBlock] = []
    for row in _rows(blocks):
        ordered.extend(sorted(row, key=lambda block: (block.box[0], block.box[1])))
    return ordered


def _rows(blocks: Sequence[PdfBlock]) -> list[list[PdfBlock]]:
    """Blocks that share some height, transitively, in rows from the top."""
    rows: list[list[PdfBlock]] = []
    bottom = float("-inf")
    for block in sorted(blocks, key=lambda block: (block.box[1], block.box[0])):
        _, y0, _, y1 = block.box
        if rows and y0 < bottom - 0.3 * min(y1 - y0, 12.0):
            rows[-1].append(block)
        else:
            rows.append([block])
        bottom = max(bottom, y1) if len(rows[-1]) > 1 else y1
    return rows


def _groups(rows: list[list[PdfBlock]]) -> list[list[PdfBlock]]:
    """Neighbouring rows put together as long as one gutter runs through them all."""
    groups: list[list[PdfBlock]] = []
    for row in rows:
        joined = [*groups[-1], *row] if groups else row
        if groups and (_gutter(groups[-1]) or len(groups[-1]) == 1) and _gutter(joined):
            groups[-1] = joined
        else:
            groups.append(row)
    return groups


def _columns(blocks: list[PdfBlock]) -> tuple[list[PdfBlock], list[PdfBlock]] | None:
    """The two sides of the widest gutter, where both look like running text."""
    gutter = _gutter(blocks)
    if gutter is None:
        return None
    left = [block for block in blocks if block.box[2] <= gutter]
    right = [block for block in blocks if block.box[2] > gutter]
    if not (_running_text(left) and _running_text(right)):
        return None
    return left, right


def _gutter(blocks: Sequence[PdfBlock]) -> float | None:
    """Where the widest vertical gap starts, None when every x is covered."""
    spans = sorted((block.box[0], block.box[2]) for block in blocks)
    best, widest, right = None, MIN_GUTTER, spans[0][1]
    for x0, x1 in spans[1:]:
        if x0 - right > widest:
            best, widest = right, x0 - right
        right = max(right, x1)
    return best


def _running_text(blocks: list[PdfBlock]) -> bool:
    lines = [line for block in blocks for line in block.lines]
    x0, _, x1, _ = around([block.box for block in blocks])
    chars = sum(len(line.text.strip()) for line in lines)
    return (
        len(lines) >= MIN_COLUMN_LINES and chars / len(lines) >= MIN_COLUMN_CHARS and x1 - x0 > 60
    )
