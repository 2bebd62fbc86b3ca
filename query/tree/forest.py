"""The trees of a generation as a query sees them: summaries by row, and who is below whom."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from index.derived.joined import JoinedReader
from index.raptor.links import Links, read_links

Rows = NDArray[np.int64]
_COMPONENT = "raptor"


class Forest:
    """Of one generation; nothing is read before it is asked for."""

    def __init__(self, reader: JoinedReader) -> None:
        self._reader = reader
        self._under: dict[int, Rows] = {}

    @cached_property
    def links(self) -> Links | None:
        """Nodes by place; None where there are no trees that this version can read."""
        if _COMPONENT not in self._reader.manifest.components:
            return None
        return read_links(self._reader.folder / _COMPONENT)

    @cached_property
    def rows(self) -> Rows:
        """Rows of the summaries, int64 (m,), by place."""
        return np.flatnonzero(self._reader.mask(None, ("summary",)))

    def level(self, row: int) -> int:
        """Of a summary: 1 stands on leaves; 0 where there are no trees."""
        place = int(np.searchsorted(self.rows, row))
        return int(self.links.levels[place]) if self.links is not None else 0

    def leaves(self, row: int) -> Rows:
        """Rows of the leaves under a summary, rising."""
        place = int(np.searchsorted(self.rows, row))
        return self._leaves(place)

    def _leaves(self, place: int) -> Rows:
        if self.links is None:
            return np.empty(0, np.int64)
        if place not in self._under:
            below = self.links.below(place)
            if self.links.levels[place] > 1:
                below = np.concatenate([self._leaves(child) for child in below.tolist()])
            self._under[place] = np.unique(below)
        return self._under[place]
