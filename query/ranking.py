"""A ranking: rows of the generation, best first."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows int64 (r,) without repeats and their scores float64 (r,), never rising.

    A row's rank is its position + 1. ``ceiling`` is the best score that the question could have had
    in this leg, where the leg knows it: a best hit far below says that the leg knows little.
    """

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    ceiling: float | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def empty(cls) -> Self:
        """No rows."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.float64))

    @classmethod
    def sorted(cls, rows: NDArray[np.int64], scores: NDArray[np.float64]) -> Self:
        """By falling score; equal scores by rising row."""
        order = np.lexsort((rows, -scores))
        return cls(rows[order], scores[order])

    def top(self, k: int) -> "Ranking":
        """The first `k` rows."""
        return replace(self, rows=self.rows[:k], scores=self.scores[:k])

    def positions(self) -> dict[int, int]:
        """Row → position from 0."""
        return {int(row): position for position, row in enumerate(self.rows)}


def continued(reranked: Ranking, fused: Ranking, pool: int) -> Ranking:
    """`reranked` and then the rows behind the pool, as fused and on one scale with it.

    Each scores as far below the lowest reranked row as it was fused below the last of the pool.
    """
    below = fused.scores[pool:] - fused.scores[pool - 1]
    return Ranking(
        np.concatenate([reranked.rows, fused.rows[pool:]]),
        np.concatenate([reranked.scores, reranked.scores[-1] + below]),
    )
