"""Phrases and exclusions: the chunks that hold words in sequence.

The postings of the words select candidates, whose text is then read. What was found is kept, so that
a batch reads it once.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from index.chunk_table import ChunkTable
from index.lexical.phrases import Phrase
from index.lexical.reader import Bm25Index
from index.reader import GenerationReader
from kb.records import Hit
from query.asked import Asked

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]
_KEPT = 64


class PhraseFinder:
    """Finds phrases in one generation: in a chunk's text, or in the context it is indexed with."""

    def __init__(self, reader: GenerationReader) -> None:
        self._reader = reader
        self._found: dict[str, Rows] = {}

    def rows(self, phrase: str) -> Rows:
        """Rising rows of all chunks that hold the phrase, however many."""
        found = self._found.get(phrase)
        if found is None:
            if len(self._found) >= _KEPT:
                self._found.clear()
            found = self._found[phrase] = self._look(phrase)
        return found

    def holding(self, phrases: Sequence[str]) -> Rows | None:
        """Rows that hold all of them; None for no phrases."""
        if not phrases:
            return None
        return reduce(np.intersect1d, (self.rows(phrase) for phrase in phrases))

    def without(self, excluded: Iterable[str]) -> Mask | None:
        """False for the rows that hold one of them; None for nothing excluded."""
        mask: Mask | None = None
        for phrase in excluded:
            mask = np.ones(len(self._reader), np.bool_) if mask is None else mask
            mask[self.rows(phrase)] = False
        return mask

    def _look(self, text: str) -> Rows:
        phrase = self._reader.bm25.phrase(text)
        chunks = self._reader.chunks
        candidates = self._candidates(phrase)
        found = [_holds(phrase, chunks, int(row)) for row in candidates]
        return np.asarray(candidates[np.asarray(found, np.bool_)], np.int64)

    def _candidates(self, phrase: Phrase) -> Rows:
        sets = [self._reader.bm25.rows_with(spellings) for spellings in phrase.words]
        told = sorted((rows for rows in sets if rows is not None), key=len)
        return reduce(np.intersect1d, told) if told else np.arange(len(self._reader))


def _holds(phrase: Phrase, chunks: ChunkTable, row: int) -> bool:
    chunk = chunks[row]
    return phrase.is_in((chunk.text, chunk.context))


def allowed(
    held: Rows | None, kept: Mask | None, live: Mask | None, strict: bool, count: int
) -> Mask | None:
    """The rows that may answer, bool (n,); None for all.

    Args:
        held: rows with all phrases.
        kept: rows without what is excluded.
        live: rows of the filters.
        strict: where no other row has the phrases either, nothing may answer; else they bind no more.
        count: n.
    """
    masks = [mask for mask in (live, kept) if mask is not None]
    both = reduce(np.logical_and, masks) if masks else None
    if held is None:
        return both
    found = held if both is None else held[both[held]]
    if len(found) == 0 and not strict:
        return both
    mask = np.zeros(count, np.bool_)
    mask[found] = True
    return mask


def notes(asked: Asked, hits: Sequence[Hit], bm25: Bm25Index) -> list[str]:
    """What is to be said of phrases that bound nothing, because no chunk that may answer has them."""
    if asked.binding != "every leg" or not hits or not asked.phrases:
        return []
    first = hits[0].chunk
    if all(bm25.phrase(text).is_in((first.text, first.context)) for text in asked.phrases):
        return []
    quoted = " and ".join(f'"{text}"' for text in asked.phrases)
    return [f"no chunk holds {quoted} word for word: answered without it"]
