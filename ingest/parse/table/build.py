"""Rows to table elements, each of which begins with the header."""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise

from ingest.parse.extracted import Box, ExtractedText
from ingest.parse.table.header import is_header, join_headers

_LEAST, _MOST = 125, 190  # estimated tokens of an element: it fits a chunk, two do not
_WIDE = 70  # estimated tokens of a header that is written once would eat half of each element
_PIECE = re.compile(r"[^\W\d_]{1,5}|\d{1,3}|[^\w\s]")


def add_table(
    built: ExtractedText,
    rows: Iterable[Sequence[str]],
    *,
    headers: int | None = None,
    page: int | None = None,
    lines: tuple[int, int] | None = None,
    bbox: Box | None = None,
) -> None:
    """Append a table: a row a line, cells parted by bars.

    A long one becomes several elements at rows that their content chooses, and the header stands
    first in each, so that no chunk holds rows whose columns have no names. Where the header is so
    wide that this would cost more than the rows, each row is written ``header: value; …`` instead.
    A first row of one cell is the table's caption.

    Args:
        built: where it goes.
        rows: cells as text, taken one by one; rows may differ in length.
        headers: how many of the first rows name the columns; None: the first one does if it looks
            like it.
        page: of the elements, like `lines` and `bbox`.
        lines: first and last source line.
        bbox: in points.
    """
    flat = (cells for row in rows if any(cells := [" ".join(cell.split()) for cell in row]))
    start = list(islice(flat, max(headers or 0, 0) + 3))
    while len(start) > 1 and _is_caption(start):
        built.add("caption", next(filter(None, start.pop(0))), page=page, lines=lines, bbox=bbox)
        headers = headers - 1 if headers else headers
        start.extend(islice(flat, 1))
    if headers is None:
        headers = int(is_header(start[0], start[1] if len(start) > 1 else None)) if start else 0
    if headers == 1 and len(start) > 2 and _goes_on_below(start):
        headers = 2
    header = join_headers(start[:headers]) if headers < len(start) else []
    body = chain(start[headers:] if header else start, flat)
    for block in _blocks(header, body):
        built.add("table", block, page=page, lines=lines, bbox=bbox)


def weight(text: str) -> int:
    """About how many tokens a text has, told without a tokenizer."""
    return len(_PIECE.findall(text))


def bars(cells: Sequence[str]) -> str:
    """Cells parted by bars, without blank ones at the end."""
    last = max((at for at, cell in enumerate(cells, 1) if cell), default=0)
    return " | ".join(cells[:last]).strip()


def _is_caption(rows: Sequence[Sequence[str]]) -> bool:
    filled = [len(set(filter(None, row))) for row in rows[:2]]
    same_width = len(rows[0]) == len(rows[1])
    return rows[0][0] != "" and filled[0] == 1 and filled[1] > 1 and same_width


def _goes_on_below(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a header's second row parts what the first one spans."""
    first, second, third = rows[:3]
    spans = any(a and a == b for a, b in pairwise(first))
    return spans and len(second) == len(first) and is_header(second, third)


def _blocks(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    first = bars(header)
    room = _MOST - weight(first)
    if weight(first) > _WIDE:
        pairs = (_pairs(header, row) for row in rows)
        yield from ("\n".join(block) for block in _cut(pairs, _LEAST, _MOST))
        return
    for block in _cut(map(bars, rows), _LEAST - weight(first), room):
        yield "\n".join([first, *block] if first else block)


def _pairs(header: Sequence[str], row: Sequence[str]) -> str:
    named = [*header, *[""] * (len(row) - len(header))]
    return "; ".join(
        f"{name}: {cell}" if name else cell for name, cell in zip(named, row, strict=False) if cell
    )


def _cut(lines: Iterable[str], least: int, room: int) -> Iterator[list[str]]:
    """Runs of lines of at most `room` tokens, and at least `least`, where they fit.

    Each is cut before the line with the smallest hash, so that a row put in moves the cuts near it
    and no others.
    """
    block: list[str] = []
    weights: list[int] = []
    total = 0
    for line in lines:
        block.append(line)
        weights.append(weight(line))
        total += weights[-1]
        while total > room and len(block) > 1:
            at = _place(block, weights, least, room)
            yield block[:at]
            total -= sum(weights[:at])
            del block[:at], weights[:at]
    if block:
        yield block


def _place(block: Sequence[str], weights: Sequence[int], least: int, room: int) -> int:
    before = 0
    last = 1
    places: list[int] = []
    for at in range(1, len(block)):
        before += weights[at - 1]
        if before > room:
            break
        last = at
        if before >= least:
            places.append(at)
    return min(places, key=lambda at: zlib.crc32(block[at].encode()), default=last)
