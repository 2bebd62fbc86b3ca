"""Sign bits of all chunks' token vectors, back to back.

Files: ``codes.bin`` uint8 (t, dimension / 8) without header, ``offsets.npy`` int64 (n + 1,) in tokens.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
VERSION = 1


def write_tokens(folder: Path, codes: Iterable[Codes]) -> None:
    """Write the codes of each chunk in row order, each uint8 (t, width)."""
    offsets = [0]
    with (folder / "codes.bin").open("wb") as out:
        for code in codes:
            out.write(code.tobytes())
            offsets.append(offsets[-1] + len(code))
    np.save(folder / "offsets.npy", np.asarray(offsets, np.int64))


class TokenTable:
    """Token codes by row, memory-mapped."""

    def __init__(self, folder: Path, width: int) -> None:
        self._offsets: NDArray[np.int64] = np.load(folder / "offsets.npy", mmap_mode="r")
        total = int(self._offsets[-1])
        self._codes: Codes = (
            np.memmap(folder / "codes.bin", np.uint8, "r", shape=(total, width))
            if total
            else np.zeros((0, width), np.uint8)
        )

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def take(self, rows: NDArray[np.int64]) -> tuple[Codes, NDArray[np.int64]]:
        """Codes of `rows` back to back, uint8 (t, width), and their offsets, int64 (len(rows) + 1,)."""
        starts, ends = self._offsets[rows], self._offsets[rows + 1]
        pieces = [self._codes[a:b] for a, b in zip(starts, ends, strict=True)]
        offsets = np.concatenate([[0], np.cumsum(ends - starts)]).astype(np.int64)
        return (np.concatenate(pieces) if pieces else self._codes[:0]), offsets

    def each(self, first: int, end: int) -> Iterator[Codes]:
        """Codes of the rows `first` to ``end - 1``, one after the other."""
        offsets = self._offsets[first : end + 1].tolist()
        return (self._codes[a:b] for a, b in pairwise(offsets))
