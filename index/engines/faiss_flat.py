"""faiss' brute force over the mapped matrix itself: nothing is built, nothing is stored."""

from pathlib import Path

import numpy as np

from index.engines.base import Floats, Rows


class FaissFlat:
    """Compares every row with faiss' kernels; see `index.engines.faiss.Kind`."""

    def __init__(self) -> None:
        self._vectors: Floats = np.empty((0, 0), np.float32)

    def build(self, vectors: Floats) -> str:
        """Keep the matrix."""
        self._vectors = vectors
        return ""

    def save(self, folder: Path) -> None:
        """Write nothing: the matrix is the index."""

    def load(self, folder: Path, vectors: Floats) -> None:
        """Keep the matrix."""
        self._vectors = vectors

    def candidates(self, queries: Floats, count: int) -> Rows:
        """The `count` nearest rows by float32 products."""
        import faiss

        _, rows = faiss.knn(queries, self._vectors, count, faiss.METRIC_INNER_PRODUCT)
        return np.asarray(rows, np.int64)
