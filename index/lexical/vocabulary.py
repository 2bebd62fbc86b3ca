"""Term lookup by binary search in the mapped vocabulary: nothing is loaded beforehand."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_CACHED = 1 << 14


class Vocabulary:
    """Terms sorted by their UTF-8 bytes; the place of a term is its place in `indptr`."""

    def __init__(self, folder: Path) -> None:
        self._blob: NDArray[np.uint8] = map_array(folder / "terms.npy")
        self._ends: NDArray[np.int64] = map_array(folder / "term_ends.npy")
        self._found: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._ends) - 1

    def find(self, term: str) -> int:
        """The place of a term, -1 when no chunk holds it."""
        place = self._found.get(term)
        if place is None:
            if len(self._found) >= _CACHED:
                self._found.clear()
            place = self._found[term] = self._search(term.encode("utf-8", "surrogatepass"))
        return place

    def _search(self, wanted: bytes) -> int:
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._at(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._at(low) == wanted else -1

    def _at(self, place: int) -> bytes:
        return self._blob[self._ends[place] : self._ends[place + 1]].tobytes()


def map_array(path: Path) -> NDArray[Any]:
    """A read-only array, memory-mapped unless it is empty."""
    mapped: NDArray[Any]
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        mapped = np.load(path, allow_pickle=False)
    return mapped
