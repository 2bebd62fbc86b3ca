"""Cells that span rows and columns, laid out as plain rows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

MOST_COLUMNS = 64  # of one cell; more is damage or malice
MOST_ROWS = 65_536
_MOST_FILLED = 500_000  # cells of a table that are filled from others


class Cell(NamedTuple):
    """One cell as it is written, and how many columns and rows it covers."""

    text: str
    across: int = 1
    down: int = 1


def spread(rows: Iterable[Sequence[Cell]]) -> Iterator[list[str]]:
    """Rows of texts, a column each.

    A cell that covers rows stands in each of them, for it holds for each. One that covers columns
    stands in the first, in the first row (most often a header) in each of them.
    """
    covered: dict[int, tuple[str, int]] = {}  # column → text, rows still to cover
    filled = 0
    for number, row in enumerate(rows):
        texts: list[str] = []
        if filled > _MOST_FILLED:
            covered.clear()
        for cell in row:
            _fill(texts, covered)
            across = min(max(cell.across, 1), MOST_COLUMNS)
            for offset in range(across):
                text = cell.text if offset == 0 or number == 0 else ""
                if cell.down > 1:
                    covered[len(texts)] = (text, min(cell.down, MOST_ROWS) - 1)
                texts.append(text)
        _fill(texts, covered)
        filled += len(texts) - len(row)
        yield texts


def _fill(texts: list[str], covered: dict[int, tuple[str, int]]) -> None:
    """Appends what cells of rows above cover, from the column in hand on."""
    while (above := covered.get(len(texts))) is not None:
        text, left = above
        if left == 1:
            del covered[len(texts)]
        else:
            covered[len(texts)] = (text, left - 1)
        texts.append(text)
