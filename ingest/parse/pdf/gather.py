"""Lines to blocks, for engines that give lines only."""

from collections.abc import Iterable

from ingest.parse.pdf.pages import PdfBlock, PdfLine

NEW_BLOCK_GAP = 0.8  # of a line's height


def gather(lines: Iterable[PdfLine]) -> list[PdfBlock]:
    """Lines in the order of reading, cut where the next one is not right below or beside the last."""
    blocks: list[list[PdfLine]] = []
    for line in lines:
        if blocks and _goes_on(blocks[-1][-1], line):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return [PdfBlock(tuple(block)) for block in blocks]


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    if above.sideways != line.sideways:
        return False
    tall = max(above.box[3] - above.box[1], line.box[3] - line.box[1])
    gap = line.box[1] - above.box[3]
    overlap = min(above.box[2], line.box[2]) - max(above.box[0], line.box[0])
    return -1.5 * tall < gap < NEW_BLOCK_GAP * tall and (overlap > 0 or gap < 0)
