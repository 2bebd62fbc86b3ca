"""Atoms: the pieces between places where a chunk may begin, each place with its strength."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from ingest.chunk.reading import Block, Reading
from ingest.chunk.sentences import sentence_starts
from ingest.chunk.tokens import codes

_WHOLE = frozenset({"heading", "code", "table", "list"})  # not cut where they fit
_BLANKS = regex.compile(r"\s+")
_LINES = regex.compile(r"\n")
_HASHED = 48  # characters after a place that decide its key


class Level(IntEnum):
    """How good a place is to begin a chunk; above BLOCK come headings, the highest best."""

    GLUED = 0  # just after a heading: only when nothing else fits
    TOKEN = 1
    WORD = 2
    LINE = 3
    SENTENCE = 4
    BLOCK = 5
    HIGHEST_HEADING = 11  # the lowest of six is 6


@dataclass(frozen=True, slots=True)
class Atoms:
    """Rows in reading order, all of shape (n,)."""

    start: NDArray[np.int64]  # characters; blanks around an atom lie in none
    end: NDArray[np.int64]
    level: NDArray[np.int64]  # of the place where the atom starts
    key: NDArray[np.uint64]  # hash of the text that follows that place
    first: NDArray[np.int64]  # tokens of the document before the atom
    last: NDArray[np.int64]  # and before its end

    def cost(self, low: int, high: int) -> int:
        """Tokens from atom `low` to the end of atom ``high - 1``."""
        return int(self.last[high - 1] - self.first[low])


def make_atoms(reading: Reading, size: int) -> Atoms:
    """The atoms of a document, none above `size` tokens unless it is one grapheme."""
    rows: list[tuple[int, int, int]] = []
    run: int | None = None  # where the headings begin that the next block must follow
    for block in reading.blocks:
        held = 0 if run is None else reading.tokens.between(run, block.start)
        glued = run is not None and held < size
        room = size - held if glued else size
        pieces = list(_pieces(reading, block, size, room))
        begins = Level.GLUED if glued else _block_level(block)
        rows.append((*pieces[0][:2], begins))
        rows.extend(pieces[1:])
        if block.kind != "heading":
            run = None
        elif not glued:
            run = block.start
    return _table(reading, np.asarray(rows, np.int64))


def _block_level(block: Block) -> int:
    if block.kind != "heading":
        return Level.BLOCK
    return Level.HIGHEST_HEADING + 1 - min(max(block.level, 1), 6)


def _table(reading: Reading, rows: NDArray[np.int64]) -> Atoms:
    start, end, level = rows[:, 0], rows[:, 1], rows[:, 2]
    tokens = reading.tokens
    return Atoms(
        start, end, level, _keys(reading.text, start), tokens.before(start), tokens.before(end)
    )


def _pieces(reading: Reading, block: Block, size: int, room: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, level) of a block's atoms; the first has only `room` tokens."""
    tokens = reading.tokens
    fits = tokens.between(block.start, block.end) <= room
    if block.kind in _WHOLE and fits:
        yield block.start, block.end, Level.BLOCK
        return
    todo = list(reversed(_first_cuts(reading, block)))
    while todo:
        start, end, level = todo.pop()
        if tokens.between(start, end) > room and (finer := _finer(reading, start, end, level)):
            todo.extend(reversed(finer))
            continue
        yield start, end, level
        room = size


def _first_cuts(reading: Reading, block: Block) -> list[tuple[int, int, int]]:
    text, start, end = reading.text, block.start, block.end
    if block.kind in {"code", "table"}:
        return _cut(reading, start, end, Level.SENTENCE, _after(_LINES, text, start, end))
    inner = [start + at for at in sentence_starts(text[start:end])]
    return _cut(reading, start, end, Level.SENTENCE, inner)


def _finer(reading: Reading, start: int, end: int, level: int) -> list[tuple[int, int, int]]:
    """The atom cut at the next finer kind of place that it has; [] when it is one grapheme.

    The first piece keeps the atom's own level.
    """
    for finer, places in _finer_places(reading, start, end):
        cut = _cut(reading, start, end, finer, places)
        if len(cut) > 1:
            return [(cut[0][0], cut[0][1], level), *cut[1:]]
    return []


def _finer_places(reading: Reading, start: int, end: int) -> Iterator[tuple[int, list[int]]]:
    yield Level.LINE, _after(_LINES, reading.text, start, end)
    yield Level.WORD, _after(_BLANKS, reading.text, start, end)
    yield Level.TOKEN, _token_places(reading, start, end)
    yield Level.TOKEN, list(range(start + 1, end))


def _token_places(reading: Reading, start: int, end: int) -> list[int]:
    starts = reading.tokens.starts
    low, high = np.searchsorted(starts, (start + 1, end), side="left")
    return [int(at) for at in starts[low:high]]


def _after(pattern: "regex.Pattern[str]", text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in pattern.finditer(text, start, end)]


def _cut(
    reading: Reading, start: int, end: int, level: int, places: list[int]
) -> list[tuple[int, int, int]]:
    """Non-blank pieces of ``text[start:end]`` between `places`, blanks around them dropped."""
    snapped = reading.graphemes.left(np.asarray([start, *places], np.int64))
    bounds = [int(at) for at in np.unique(np.clip(snapped, start, end))]
    trimmed = (reading.trim(a, b) for a, b in pairwise([*bounds, end]))
    return [(a, b, level) for a, b in trimmed if a < b]


def _keys(text: str, start: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A 64-bit hash of the characters after each place (polynomial, then SplitMix64's finish)."""
    points = np.concatenate([codes(text), np.zeros(_HASHED, np.uint32)])
    key = np.zeros(len(start), np.uint64)
    for step in range(_HASHED):
        key = key * np.uint64(0x100000001B3) + points[start + step].astype(np.uint64)
    key ^= key >> np.uint64(30)
    key *= np.uint64(0xBF58476D1CE4E5B9)
    key ^= key >> np.uint64(27)
    key *= np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))
