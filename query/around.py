"""Which rows of a document belong to the surroundings of one of them."""

import re
from dataclasses import dataclass
from typing import Literal

import msgspec

from index.reader import GenerationReader
from kb.records import Chunk

_MARKS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Expand:
    """How far to look around a hit."""

    kind: Literal["section", "window", "document", "leaves"]
    chunks: int = 0  # of a window: before and after


class Place(msgspec.Struct, frozen=True):
    """What has to be known of a chunk to go past it."""

    start: int
    end: int
    heading: tuple[str, ...] = ()


_decode = msgspec.json.Decoder(Place).decode


def row_of(reader: GenerationReader, chunk: Chunk, first: int, end: int) -> int:
    """Where the chunk stands among its document's, whose starts rise."""
    while first < end:
        middle = (first + end) // 2
        if place_of(reader, middle).start < chunk.start:
            first = middle + 1
        else:
            end = middle
    return first


def asked_for(
    reader: GenerationReader, how: Expand, row: int, first: int, last: int
) -> tuple[int, int]:
    """First and last row of what is asked for around `row`, in a document from `first` to `last`."""
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
    own = place_of(reader, row).heading
    before, after = row, row
    while before > first and place_of(reader, before - 1).heading == own:
        before -= 1
    if before > first and _opens(reader.chunks[before - 1].text, own):
        before -= 1
    while after < last and place_of(reader, after + 1).heading == own:
        after += 1
    following = place_of(reader, row + 1).heading if after == row < last else own
    if following != own and _opens(reader.chunks[row].text, following):
        while after < last and place_of(reader, after + 1).heading == following:
            after += 1
    return before, after


def _opens(text: str, heading: tuple[str, ...]) -> bool:
    """Whether a section begins in a text: one of its lines is the heading, marks aside."""
    return bool(heading) and any(_bare(line) == _bare(heading[-1]) for line in text.splitlines())


def _bare(line: str) -> str:
    return " ".join(_MARKS.sub(" ", line).casefold().split())


def fitting(
    reader: GenerationReader, row: int, whole: tuple[int, int], most: int
) -> tuple[int, int]:
    """As many rows around `row` as fit, the shorter side first."""
    own = place_of(reader, row)
    first = last = row
    start, end = own.start, own.end
    while True:
        up = first > whole[0] and end - place_of(reader, first - 1).start <= most
        down = last < whole[1] and place_of(reader, last + 1).end - start <= most
        if up and (own.start - start <= end - own.end or not down):
            first -= 1
            start = place_of(reader, first).start
        elif down:
            last += 1
            end = max(place_of(reader, last).end, end)
        else:
            return first, last


def place_of(reader: GenerationReader, row: int) -> Place:
    """Where a row's chunk stands."""
    return _decode(reader.chunks.raw(row, row + 1))
