"""Two engines as one."""

import numpy as np

from index.engines.base import Floats, Mask, Rows, Searchable


class JoinedEngine:
    """Searches both and merges what they find; see `index.engines.base.Searchable`."""

    def __init__(self, leaves: Searchable, count: int, derived: Searchable) -> None:
        self._leaves = leaves
        self._count = count
        self._derived = derived

    def search(self, queries: Floats, k: int, live: Mask | None = None) -> tuple[Rows, Floats]:
        """See `Searchable.search`; rows of derived chunks follow those of the leaves."""
        near, near_scores = self._leaves.search(queries, k, _side(live, slice(None, self._count)))
        far, far_scores = self._derived.search(queries, k, _side(live, slice(self._count, None)))
        rows = np.concatenate([near, np.where(far >= 0, far + self._count, far)], axis=1)
        scores = np.concatenate([near_scores, far_scores], axis=1)
        # Ties by the lower row; -1 comes last by its score.
        order = np.lexsort((rows, -scores), axis=1)[:, :k]
        return np.take_along_axis(rows, order, 1), np.take_along_axis(scores, order, 1)


def _side(live: Mask | None, side: slice) -> Mask | None:
    """One engine's part of a mask; None where it leaves nothing out, which is cheaper to search."""
    part = None if live is None else live[side]
    return None if part is None or part.all() else part
