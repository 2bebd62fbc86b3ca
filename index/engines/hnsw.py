"""A graph of near neighbours by hnswlib (Malkov & Yashunin 2018, arXiv:1603.09320)."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from index.engines.approximate import ApproximateEngine
from index.engines.base import Floats, Rows
from index.engines.scoring import ROWS_PER_BLOCK

if TYPE_CHECKING:
    from hnswlib import Index

_FILE = "graph.hnsw"


class HnswEngine(ApproximateEngine):
    """hnswlib over inner products; its file always holds a copy of the vectors."""

    name = "hnsw"

    _index: "Index"

    def _build(self, vectors: Floats) -> str:
        self._index = _new_index(vectors.shape[1])
        self._index.init_index(
            max_elements=len(vectors),
            M=self.settings.hnsw_m,
            ef_construction=self.settings.hnsw_ef_construction,
            random_seed=self.settings.seed,
        )
        for start in range(0, len(vectors), ROWS_PER_BLOCK):
            block = vectors[start : start + ROWS_PER_BLOCK]
            # With more than one thread the order of insertion, and so the graph, is left to chance.
            self._index.add_items(block, np.arange(start, start + len(block)), num_threads=1)
        return ""

    def _save(self, folder: Path) -> None:
        self._index.save_index(str(folder / _FILE))

    def _load(self, folder: Path, vectors: Floats) -> None:
        self._index = _new_index(vectors.shape[1])
        self._index.load_index(str(folder / _FILE))

    def _candidates(self, queries: Floats, count: int) -> Rows:
        self._index.set_ef(max(self.settings.hnsw_ef_search, count))
        try:
            return self._query(queries, count)
        except RuntimeError:  # one query that reaches fewer than `count` rows fails the whole batch
            return np.concatenate([self._query_alone(query, count) for query in queries[:, None]])

    def _query_alone(self, query: Floats, count: int) -> Rows:
        try:
            return self._query(query, count)
        except RuntimeError:
            return np.full((1, count), -1, np.int64)

    def _query(self, queries: Floats, count: int) -> Rows:
        labels, _ = self._index.knn_query(queries, k=count)
        return np.asarray(labels).view(np.int64)  # from uint64, in which -1 has no place


def _new_index(dimension: int) -> "Index":
    from hnswlib import Index

    return Index(space="ip", dim=dimension)
