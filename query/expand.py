"""The text around a hit, put together from the chunks that the generation holds, not from the file.

Only chunks of the hit's own document are joined, so whoever may read the hit may read its surroundings,
and they are as valid as it is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from index.reader import GenerationReader
from kb.errors import UsageError
from kb.records import Chunk, Expansion, Hit
from kb.settings import QuerySettings

_WINDOW = re.compile(r"window:([1-9][0-9]{0,3})")

_INDENT = 24
_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Expand:
    """How far to look around a hit."""

    kind: Literal["section", "window", "document"]
    chunks: int = 0  # of a window: before and after


class _Place(msgspec.Struct, frozen=True):
    """What has to be known of a chunk to go past it."""

    start: int
    end: int
    heading: tuple[str, ...] = ()


_decode = msgspec.json.Decoder(_Place).decode


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of one document, both ends inside: what is shown, and all of what was asked for."""

    document: int
    first: int
    last: int
    whole: tuple[int, int]
    ranks: tuple[int, ...]

    def meets(self, other: "_Rows") -> bool:
        same = self.document == other.document
        return same and self.first <= other.last and other.first <= self.last

    def with_(self, other: "_Rows") -> "_Rows":
        whole = (min(self.whole[0], other.whole[0]), max(self.whole[1], other.whole[1]))
        first, last = min(self.first, other.first), max(self.last, other.last)
        return _Rows(self.document, first, last, whole, (*self.ranks, *other.ranks))


def read_expand(text: str) -> Expand | None:
    """``section``, ``window:2``, ``document``; None for ``none``.

    Raises:
        UsageError: it is none of them.
    """
    if text == "none":
        return None
    if text == "section" or text == "document":
        return Expand(text)
    found = _WINDOW.fullmatch(text)
    if found is None:
        raise UsageError(
            f"expand: {text!r} is no piece of a document: write section, document, or window:N for N "
            "chunks before and after, e.g. window:2"
        )
    return Expand("window", int(found[1]))


def expanded(hits: Sequence[Hit], reader: GenerationReader, settings: QuerySettings) -> list[Hit]:
    """The hits with the text around them, as ``query.expand`` says.

    A piece is at most ``query.expand_characters`` long, in whole chunks around the hit, whose own words
    are always in it. Pieces that share a chunk become one, which the best of their hits carries; the
    others point to it by its rank.

    Raises:
        UsageError: the setting cannot be read.
    """
    how = read_expand(settings.expand)
    if how is None:
        return list(hits)
    numbers = {document.path: i for i, document in enumerate(reader.chunks.documents)}
    pieces = _merged(
        _rows(reader, numbers, hit, how, settings.expand_characters)
        for hit in hits
        if hit.chunk.kind == "text"
    )
    carried = {min(rows.ranks): _expansion(reader, rows, how) for rows in pieces}
    within = {rank: min(rows.ranks) for rows in pieces for rank in rows.ranks}
    return [
        replace(
            hit,
            expanded=carried.get(hit.rank),
            expanded_in=None if hit.rank in carried else within.get(hit.rank),
        )
        for hit in hits
    ]


def _merged(found: Iterable[_Rows]) -> list[_Rows]:
    pieces: list[_Rows] = []
    for rows in found:
        meeting = [piece for piece in pieces if piece.meets(rows)]
        for piece in meeting:
            rows = piece.with_(rows)
        pieces = [piece for piece in pieces if piece not in meeting] + [rows]
    return pieces


def _rows(
    reader: GenerationReader, numbers: Mapping[str, int], hit: Hit, how: Expand, most: int
) -> _Rows:
    document = numbers[hit.chunk.path]
    first, end = reader.chunks.rows(document)
    row = _row(reader, hit.chunk, first, end)
    whole = _whole(reader, how, row, first, end - 1)
    shown = _bounded(reader, row, whole, most)
    return _Rows(document, *shown, whole, (hit.rank,))


def _row(reader: GenerationReader, chunk: Chunk, first: int, end: int) -> int:
    """Where the chunk stands among its document's, whose starts rise."""
    while first < end:
        middle = (first + end) // 2
        if _place(reader, middle).start < chunk.start:
            first = middle + 1
        else:
            end = middle
    return first


def _whole(
    reader: GenerationReader, how: Expand, row: int, first: int, last: int
) -> tuple[int, int]:
    if how.kind == "document":
        return first, last
    if how.kind == "window":
        return max(first, row - how.chunks), min(last, row + how.chunks)
    return _section(reader, row, first, last)


def _section(reader: GenerationReader, row: int, first: int, last: int) -> tuple[int, int]:
    """The rows under the hit's heading, and under one that begins inside the hit.

    A chunk has the heading that it begins under. So the chunk before may hold the section's beginning,
    and its heading line tells.
    """
    own = _place(reader, row).heading
    before, after = row, row
    while before > first and _place(reader, before - 1).heading == own:
        before -= 1
    if before > first and _opens(reader.chunks[before - 1].text, own):
        before -= 1
    while after < last and _place(reader, after + 1).heading == own:
        after += 1
    following = _place(reader, row + 1).heading if after == row < last else own
    if following != own and _opens(reader.chunks[row].text, following):
        while after < last and _place(reader, after + 1).heading == following:
            after += 1
    return before, after


def _opens(text: str, heading: tuple[str, ...]) -> bool:
    """Whether a section begins in a text: one of its lines is the heading, marks aside."""
    return bool(heading) and any(_bare(line) == _bare(heading[-1]) for line in text.splitlines())


def _bare(line: str) -> str:
    return " ".join(_MARKS.sub(" ", line).casefold().split())


def _bounded(
    reader: GenerationReader, row: int, whole: tuple[int, int], most: int
) -> tuple[int, int]:
    """As many rows around `row` as fit, the shorter side first."""
    own = _place(reader, row)
    first = last = row
    start, end = own.start, own.end
    while True:
        above = _place(reader, first - 1) if first > whole[0] else None
        below = _place(reader, last + 1) if last < whole[1] else None
        fits_above = above is not None and end - above.start <= most
        fits_below = below is not None and max(below.end, end) - start <= most
        if fits_above and (own.start - start <= end - own.end or not fits_below):
            assert above is not None
            first, start = first - 1, above.start
        elif fits_below:
            assert below is not None
            last, end = last + 1, max(below.end, end)
        else:
            return first, last


def _place(reader: GenerationReader, row: int) -> _Place:
    return _decode(reader.chunks.raw(row, row + 1))


def _expansion(reader: GenerationReader, rows: _Rows, how: Expand) -> Expansion:
    chunks = [reader.chunks[row] for row in range(rows.first, rows.last + 1)]
    start, end = chunks[0].start, max(chunk.end for chunk in chunks)
    lines = [chunk.lines for chunk in chunks if chunk.lines]
    pages = [chunk.pages for chunk in chunks if chunk.pages]
    return Expansion(
        how.kind,
        joined(chunks),
        start,
        end,
        lines=(min(a for a, _ in lines), max(b for _, b in lines)) if lines else None,
        pages=(min(a for a, _ in pages), max(b for _, b in pages)) if pages else None,
        before=start - _place(reader, rows.whole[0]).start,
        after=max(_place(reader, rows.whole[1]).end - end, 0),
        ranks=tuple(sorted(rows.ranks)),
    )


def joined(chunks: Sequence[Chunk]) -> str:
    """The text that neighbouring chunks of a document cover, nothing twice.

    As long as the document's own slice, and the same wherever a chunk lies. Blanks stand for the rest:
    blanks, too, or markup (a comment, front matter).
    """
    parts: list[str] = []
    furthest = chunks[0]
    for chunk in chunks:
        gap = chunk.start - furthest.end
        if gap > 0:
            parts.append(_blank(furthest, chunk, gap))
        if chunk is furthest or chunk.end > furthest.end:
            parts.append(chunk.text[max(-gap, 0) if chunk is not furthest else 0 :])
            furthest = chunk
    return "".join(parts)


def _blank(before: Chunk, after: Chunk, size: int) -> str:
    """Blanks between two chunks: as many line breaks as their lines tell, and spaces.

    A few spaces are likely the indentation of what follows; many stand for markup, at the end of a line.
    """
    if before.lines is None or after.lines is None:
        breaks = 0 if size == 1 else 2
    else:
        breaks = after.lines[0] - before.lines[1] - before.text.endswith("\n")
        if breaks <= 0 and size > 1:  # blocks of an HTML file of one line
            breaks = 2
    breaks = min(max(breaks, 0), size)
    spaces = " " * (size - breaks)
    lines = "\n" * breaks
    return lines + spaces if len(spaces) <= _INDENT else spaces + lines
