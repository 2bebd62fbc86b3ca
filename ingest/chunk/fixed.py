"""Equal sizes with overlap, in tokens."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ingest.chunk.finish import halve
from ingest.chunk.overlap import resolve_overlap
from ingest.chunk.reading import Reading, read
from kb.models.embedder import EmbedPassages, Tokenizer
from kb.records import Document, Span
from kb.settings import ChunkSettings


@dataclass(frozen=True, slots=True)
class _Units:
    """Pieces of about one token, shape (n,) each; they begin with a token, on a grapheme."""

    start: NDArray[np.int64]  # characters
    end: NDArray[np.int64]  # the next unit's start, or the end of the block
    first: NDArray[np.int64]  # tokens of the document before the unit
    last: NDArray[np.int64]  # and before its end


class FixedChunker:
    """Windows of ``size`` tokens, each ``size - overlap`` after the one before."""

    version: ClassVar[int] = 2

    def __init__(
        self, settings: ChunkSettings, tokenizer: Tokenizer, embed: EmbedPassages | None = None
    ) -> None:
        self._size = settings.size
        self._overlap = resolve_overlap(settings)
        self._tokenizer = tokenizer

    def split(self, document: Document) -> list[Span]:
        """The spans of `document`, in order; [] when it holds no text."""
        reading = read(document, self._tokenizer)
        if reading is None:
            return []
        units = _units(reading)
        spans: list[Span] = []
        low = high = 0
        while high < len(units.start):
            high = self._window(reading, units, low)
            spans.extend(self._spans(reading, units, low, high))
            if high < len(units.start):
                back = np.searchsorted(units.first, units.first[high] - self._overlap, side="left")
                low = max(low + 1, min(int(back), high))
        return spans

    def _window(self, reading: Reading, units: _Units, low: int) -> int:
        """The unit after the window that begins at unit `low`: as many as fit, at least one."""
        fit = np.searchsorted(units.last, units.first[low] + self._size, side="right")
        high = max(low + 1, int(fit))
        while high > low + 1:
            excess = self._count(reading, units, low, high) - self._size
            if excess <= 0:
                break
            high = max(low + 1, high - excess)
        return high

    def _count(self, reading: Reading, units: _Units, low: int, high: int) -> int:
        start, end = reading.trim(int(units.start[low]), int(units.end[high - 1]))
        return self._tokenizer.count(reading.text[start:end])

    def _spans(self, reading: Reading, units: _Units, low: int, high: int) -> list[Span]:
        start, end = int(units.start[low]), int(units.end[high - 1])
        if high == low + 1:
            return halve(reading, self._tokenizer, start, end, self._size)
        return [Span(*reading.trim(start, end))]


def _units(reading: Reading) -> _Units:
    tokens = reading.tokens
    starts = np.asarray([block.start for block in reading.blocks], np.int64)
    ends = np.asarray([block.end for block in reading.blocks], np.int64)
    home = np.searchsorted(starts, tokens.starts, side="right") - 1
    inside = reading.graphemes.left(tokens.starts[tokens.starts < ends[home]])
    start = np.union1d(starts, inside)
    block = np.searchsorted(starts, start, side="right") - 1
    end = np.minimum(np.append(start[1:], ends[-1]), ends[block])
    return _Units(start, end, tokens.before(start), tokens.before(end))
