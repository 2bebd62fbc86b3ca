"""A forest of random splits by annoy, mapped from its file."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from index.engines.approximate import ApproximateEngine
from index.engines.base import Floats, Rows

if TYPE_CHECKING:
    from annoy import AnnoyIndex

_FILE = "forest.annoy"


class AnnoyEngine(ApproximateEngine):
    """annoy over angles. It cannot grow or delete: each build starts anew and takes every row.

    Its file always holds a copy of the vectors.
    """

    name = "annoy"

    _index: "AnnoyIndex"

    def _build(self, vectors: Floats) -> str:
        self._index = _new_index(vectors.shape[1])
        self._index.set_seed(self.settings.seed)
        for row, vector in enumerate(vectors):
            self._index.add_item(row, vector.tolist())
        self._index.build(self.settings.annoy_trees, n_jobs=1)  # each job has its own seed
        return ""

    def _save(self, folder: Path) -> None:
        self._index.save(str(folder / _FILE))

    def _load(self, folder: Path, vectors: Floats) -> None:
        self._index = _new_index(vectors.shape[1])
        self._index.load(str(folder / _FILE))

    def _candidates(self, queries: Floats, count: int) -> Rows:
        rows = np.full((len(queries), count), -1, np.int64)
        effort = plan_search(self.settings.annoy_search_k, len(self._vectors))
        effort = max(effort, count * self.settings.annoy_trees)
        for i, query in enumerate(queries):
            found = self._index.get_nns_by_vector(query.tolist(), count, effort)
            rows[i, : len(found)] = found
        return rows


def plan_search(asked: int, n: int) -> int:
    """How many entries of its leaves a search looks at (0: two and a half times the rows, or 20,000).

    A row is in a leaf of every tree, so that far fewer rows are compared.
    """
    return asked or max(5 * n // 2, 20_000)


def _new_index(dimension: int) -> "AnnoyIndex":
    from annoy import AnnoyIndex

    return AnnoyIndex(dimension, "angular")
