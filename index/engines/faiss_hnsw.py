"""faiss' graph of near neighbours, saved without the vectors that hang on it."""

from pathlib import Path
from typing import Any

import numpy as np

from index.engines.base import Floats, Rows
from index.engines.faiss_module import faiss_module
from index.engines.scoring import ROWS_PER_BLOCK
from kb.settings import EngineSettings

_FILE = "graph.faiss"


class FaissHnsw:
    """IndexHNSWFlat over Euclidean distance, which ranks unit vectors as dot products do.

    The file holds the graph alone. It is searched over a copy of the matrix in half precision: half
    the memory, and less of it to read; exact scores put right what that gets wrong.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._index: Any = None

    def build(self, vectors: Floats) -> str:
        """Build the graph from the vectors as they are; levels are drawn from the seed."""
        faiss = faiss_module()
        index = faiss.IndexHNSWFlat(vectors.shape[1], self._settings.hnsw_m)
        index.hnsw.efConstruction = self._settings.hnsw_ef_construction
        index.hnsw.rng = faiss.RandomGenerator(self._settings.seed)
        index.add(vectors)
        whole = index.storage
        self._hang(index, vectors)
        whole.this.own(True)  # the index has let go of it: Python frees it, now
        return ""

    def save(self, folder: Path) -> None:
        """Write the graph."""
        faiss = faiss_module()
        faiss.write_index(self._index, str(folder / _FILE), faiss.IO_FLAG_SKIP_STORAGE)

    def load(self, folder: Path, vectors: Floats) -> None:
        """Read the graph and hang the vectors on it again."""
        self._hang(faiss_module().read_index(str(folder / _FILE)), vectors)

    def _hang(self, index: Any, vectors: Floats) -> None:
        faiss = faiss_module()
        dimension = vectors.shape[1]
        storage = faiss.IndexScalarQuantizer(dimension, faiss.ScalarQuantizer.QT_fp16)
        for start in range(0, len(vectors), ROWS_PER_BLOCK):
            storage.add(vectors[start : start + ROWS_PER_BLOCK])
        index.storage, index.own_fields = storage, True  # it takes the storage, and frees it
        self._index = index

    def candidates(self, queries: Floats, count: int) -> Rows:
        """The nearest rows that the graph leads to."""
        effort = max(self._settings.hnsw_ef_search, count)
        parameters = faiss_module().SearchParametersHNSW(efSearch=effort)
        _, rows = self._index.search(queries, count, params=parameters)
        return np.asarray(rows, np.int64)
