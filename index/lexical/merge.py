"""Puts indexes together whose chunks are analysed already; the bytes are those of a fresh build."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.lexical.postings import BLOCK, create, write_vocabulary
from index.lexical.vocabulary import map_array

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Part:
    """An index's folder and where its chunks go: int64 (chunks,), -1 for one that is left out."""

    folder: Path
    target: Ints


class _Postings:
    """One part's arrays, and which terms of the whole its terms are."""

    def __init__(self, part: Part, block: int) -> None:
        self.target = part.target
        self.starts: Ints = map_array(part.folder / "indptr.npy")
        self.rows: NDArray[np.int32] = map_array(part.folder / "rows.npy")
        self.tf: NDArray[np.uint16] = map_array(part.folder / "tf.npy")
        self.lengths: NDArray[np.int32] = map_array(part.folder / "lengths.npy")
        self.terms = _terms(part.folder)
        self.df = np.zeros(len(self.terms), np.int64)
        for low, high in term_blocks(self.starts, block):
            kept = self.target[self.rows[self.starts[low] : self.starts[high]]] >= 0
            sums = np.concatenate([[0], np.cumsum(kept)])
            edges = self.starts[low : high + 1] - self.starts[low]
            self.df[low:high] = np.diff(sums[edges])
        self.places: Ints = np.empty(0, np.int64)

    def block(self, low: int, high: int) -> tuple[Ints, Ints, NDArray[np.uint16]]:
        """Term, target row and count of the postings of the whole's terms `low` to ``high - 1``."""
        first, last = np.searchsorted(self.places, (low, high), side="left")
        start, end = int(self.starts[first]), int(self.starts[last])
        rows = self.target[self.rows[start:end]]
        terms = np.repeat(self.places[first:last], np.diff(self.starts[first : last + 1]))
        kept = rows >= 0
        return terms[kept], rows[kept], self.tf[start:end][kept]


def merge_postings(
    folder: Path, parts: Sequence[Part], count: int, block: int = BLOCK
) -> tuple[int, int]:
    """Write the arrays of the index of all parts' chunks.

    Memory is the vocabulary and a block of postings, or those of one term.

    Args:
        folder: where the files go.
        parts: their targets together are each of ``0 … count - 1`` once.
        count: chunks of the whole.
        block: postings in memory at a time; changes no byte of the result.

    Returns:
        The number of chunks and the sum of their lengths, as `PostingsWriter.finish`.
    """
    sources = [_Postings(part, block) for part in parts]
    used = [term for s in sources for term, df in zip(s.terms, s.df, strict=True) if df]
    terms = sorted(set(used))
    place = {term: i for i, term in enumerate(terms)}
    df = np.zeros(len(terms), np.int64)
    lengths = np.zeros(count, np.int32)
    for source in sources:
        # A term that is gone takes the next one's place, so that places rise; it has no postings.
        source.places = _places(source, place)
        here = source.df > 0
        df[source.places[here]] += source.df[here]
        kept = source.target >= 0
        lengths[source.target[kept]] = source.lengths[kept]
    write_vocabulary(folder, terms)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(df, dtype=np.int64)])
    np.save(folder / "indptr.npy", starts)
    np.save(folder / "lengths.npy", lengths)
    _write_postings(folder, sources, starts, count, block)
    return count, int(lengths.sum(dtype=np.int64))


def _write_postings(
    folder: Path, sources: Sequence[_Postings], starts: Ints, count: int, block: int
) -> None:
    with (
        create(folder / "rows.npy", np.dtype(np.int32), int(starts[-1])) as rows_file,
        create(folder / "tf.npy", np.dtype(np.uint16), int(starts[-1])) as tf_file,
    ):
        for low, high in term_blocks(starts, block):
            found = [source.block(low, high) for source in sources]
            terms, rows, tfs = (np.concatenate(column) for column in zip(*found, strict=True))
            order = np.argsort(terms * count + rows, kind="stable")
            rows_file.write(rows[order].astype(np.int32).data)
            tf_file.write(np.ascontiguousarray(tfs[order]).data)


def term_blocks(starts: Ints, block: int) -> Iterator[tuple[int, int]]:
    """Ranges of terms with at most `block` postings, or of one term."""
    low, terms = 0, len(starts) - 1
    while low < terms:
        high = int(np.searchsorted(starts, starts[low] + block, side="right")) - 1
        high = max(high, low + 1)
        yield low, high
        low = high


def _terms(folder: Path) -> list[bytes]:
    blob = map_array(folder / "terms.npy").tobytes()
    ends = map_array(folder / "term_ends.npy").tolist()
    return [blob[a:b] for a, b in pairwise(ends)]


def _places(source: _Postings, place: dict[bytes, int]) -> Ints:
    places = np.fromiter((place.get(t, -1) for t in source.terms), np.int64, len(source.terms))
    following = np.where(places < 0, len(place), places)
    return np.minimum.accumulate(following[::-1])[::-1]
