"""faiss' graph of near neighbours, saved without the vectors that hang on it."""

from pathlib import Path
from typing import Any

import numpy as np

from index.engines.base import Floats, Rows
from index.engines.faiss_module import faiss_module
from kb.settings import EngineSettings

_FILE = "graph.faiss"


class FaissHnsw:
    """IndexHNSWFlat over Euclidean distance, which ranks unit vectors as dot products do.

    The file holds the graph alone; `load` copies the matrix into memory.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._index: Any = None
        self._storage: Any = None

    def build(self, vectors: Floats) -> str:
        """Build the graph; levels are drawn from the seed."""
        faiss = faiss_module()
        index = faiss.IndexHNSWFlat(vectors.shape[1], self._settings.hnsw_m)
        index.hnsw.efConstruction = self._settings.hnsw_ef_construction
        index.hnsw.rng = faiss.RandomGenerator(self._settings.seed)
        index.add(vectors)
        self._index = index
        return ""

    def save(self, folder: Path) -> None:
        """Write the graph."""
        faiss = faiss_module()
        faiss.write_index(self._index, str(folder / _FILE), faiss.IO_FLAG_SKIP_STORAGE)

    def load(self, folder: Path, vectors: Floats) -> None:
        """Read the graph and hang the vectors on it again."""
        faiss = faiss_module()
        self._index = faiss.read_index(str(folder / _FILE))
        self._storage = faiss.IndexFlatL2(vectors.shape[1])
        self._storage.add(vectors)
        self._index.storage = self._storage
        self._index.own_fields = False  # Python frees the storage, once

    def candidates(self, queries: Floats, count: int) -> Rows:
        """The nearest rows that the graph leads to."""
        faiss = faiss_module()
        effort = max(self._settings.hnsw_ef_search, count)
        parameters = faiss.SearchParametersHNSW(efSearch=effort)
        _, rows = self._index.search(queries, count, params=parameters)
        return np.asarray(rows, np.int64)
