"""A ranking: rows of the generation, best first."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows int64 (r,), no duplicates, and their scores float64 (r,), never rising. Rank = position + 1."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    @staticmethod
    def of(rows: NDArray[np.integer], scores: NDArray[np.floating]) -> "Ranking":
        """Sort by falling score, then by rising row."""
        order = np.lexsort((rows, -scores))
        return Ranking(np.asarray(rows, np.int64)[order], np.asarray(scores, np.float64)[order])

    def top(self, k: int) -> "Ranking":
        """The first k rows."""
        return Ranking(self.rows[:k], self.scores[:k])
