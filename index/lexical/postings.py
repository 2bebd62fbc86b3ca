"""Collects postings in bounded memory and writes them sorted by term.

Term ids are given at first sight; postings go to a scratch file in blocks; at the end each block is
scattered to its place. Memory is one block plus the vocabulary, whatever the number of chunks.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

BLOCK = 1 << 21  # postings held in memory: 24 MB
MOST_TF = np.iinfo(np.uint16).max
Ints = NDArray[np.int64]


class PostingsWriter:
    """One pass over the chunks' terms, then `finish`."""

    def __init__(self, folder: Path, block: int = BLOCK) -> None:
        self._folder = folder
        self._block = block
        self._ids: dict[str, int] = {}
        self._df = np.zeros(0, np.int64)
        self._lengths = array("i")
        self._terms, self._rows, self._tf = array("i"), array("i"), array("i")
        self._scratch_path = folder / "postings.scratch"
        self._scratch: BinaryIO = self._scratch_path.open("w+b")
        self._sizes: list[int] = []

    def add(self, terms: Iterable[str]) -> None:
        """The terms of the next chunk, repeats included; its length is their number."""
        counts = Counter(terms)
        row = len(self._lengths)
        self._lengths.append(counts.total())
        ids = self._ids
        self._terms.extend([ids.setdefault(term, len(ids)) for term in counts])
        self._rows.extend([row] * len(counts))
        self._tf.extend([min(tf, MOST_TF) for tf in counts.values()])
        if len(self._terms) >= self._block:
            self._spill()

    def finish(self) -> tuple[int, int]:
        """Write all arrays into the folder and drop the scratch file.

        Returns:
            The number of chunks and the sum of their lengths.
        """
        self._spill()
        order = self._write_vocabulary()
        df = self._df[order]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(df, dtype=np.int64)])
        np.save(self._folder / "indptr.npy", starts)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        self._scatter(place, starts)
        lengths = np.asarray(self._lengths, np.int32)
        np.save(self._folder / "lengths.npy", lengths)
        return len(lengths), int(lengths.sum(dtype=np.int64))

    def close(self) -> None:
        """Drop the scratch file; safe to call twice."""
        self._scratch.close()
        self._scratch_path.unlink(missing_ok=True)

    def _spill(self) -> None:
        if not self._terms:
            return
        df = np.bincount(np.asarray(self._terms), minlength=len(self._ids)).astype(np.int64)
        df[: len(self._df)] += self._df
        self._df = df
        for column in (self._terms, self._rows, self._tf):
            np.asarray(column, np.int32).tofile(self._scratch)
        self._sizes.append(len(self._terms))
        self._terms, self._rows, self._tf = array("i"), array("i"), array("i")

    def _write_vocabulary(self) -> Ints:
        """Terms sorted by their UTF-8 bytes. Returns the term ids in that order."""
        encoded = [term.encode("utf-8", "surrogatepass") for term in self._ids]
        order = sorted(range(len(encoded)), key=encoded.__getitem__)
        write_vocabulary(self._folder, [encoded[i] for i in order])
        return np.asarray(order, np.int64)

    def _scatter(self, place: Ints, starts: Ints) -> None:
        total = int(starts[-1])
        rows = _create(self._folder / "rows.npy", np.int32, total)
        tfs = _create(self._folder / "tf.npy", np.uint16, total)
        following = starts[:-1].copy()
        self._scratch.flush()
        self._scratch.seek(0)
        for size in self._sizes:
            terms = place[np.fromfile(self._scratch, np.int32, size)]
            order = np.argsort(terms, kind="stable")  # rows rise within a block, blocks follow
            terms = terms[order]
            distinct, first, count = np.unique(terms, return_index=True, return_counts=True)
            target = np.repeat(following[distinct] - first, count) + np.arange(size)
            rows[target] = np.fromfile(self._scratch, np.int32, size)[order]
            tfs[target] = np.fromfile(self._scratch, np.int32, size)[order]
            following[distinct] += count
        for column, name in ((rows, "rows.npy"), (tfs, "tf.npy")):
            if isinstance(column, np.memmap):
                column.flush()
            else:
                np.save(self._folder / name, column)


def write_vocabulary(folder: Path, terms: Sequence[bytes]) -> None:
    """Write sorted terms in UTF-8."""
    ends = np.cumsum([0, *map(len, terms)], dtype=np.int64)
    np.save(folder / "term_ends.npy", ends)
    np.save(folder / "terms.npy", np.frombuffer(b"".join(terms), np.uint8))


def create(path: Path, dtype: np.dtype[Any], size: int) -> BinaryIO:
    """An ``.npy`` file of one column, open for its `size` numbers to be written."""
    file = path.open("wb")
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": (size,)}
    npy.write_array_header_1_0(file, header)
    return file


def _create(path: Path, dtype: type[np.generic], size: int) -> NDArray[np.generic]:
    if size == 0:  # an empty file cannot be mapped
        return np.empty(0, dtype)
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=(size,))
