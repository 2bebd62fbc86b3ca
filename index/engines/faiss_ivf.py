"""Inverted lists over faiss' k-means: a query reads the rows of its nearest centroids."""

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from index.engines.base import Floats, Rows
from index.engines.faiss_module import faiss_module
from index.engines.scoring import ROWS_PER_BLOCK
from kb.settings import EngineSettings

_FILE = "lists.faiss"
_POINTS_PER_LIST = 39  # faiss' own floor for a k-means worth its name
_ITERATIONS = 20
_READ_PER_CANDIDATE = 4  # a list's rows are near only in part


class FaissIvf:
    """Lists of half-precision copies of the rows; see `index.engines.faiss.Kind`.

    Half precision takes half the memory to read, and what it gets wrong is put right by the exact
    scores that every engine gives. One list of all rows is flat.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._index: Any = None

    def build(self, vectors: Floats) -> str:
        """Cluster the rows; too few of them for the lists asked make fewer lists, and a note."""
        faiss = faiss_module()
        dimension = vectors.shape[1]
        lists, note = plan_lists(self._settings.faiss_nlist, len(vectors))
        index = faiss.IndexIVFScalarQuantizer(
            faiss.IndexFlatIP(dimension),
            dimension,
            lists,
            faiss.ScalarQuantizer.QT_fp16,
            faiss.METRIC_INNER_PRODUCT,
            False,  # the rows themselves, not what is left beside their centroid
        )
        index.cp.niter = _ITERATIONS
        index.cp.seed = self._settings.seed
        index.cp.spherical = True
        index.cp.min_points_per_centroid = 1  # checked by plan_lists; faiss would warn on stderr
        index.train(vectors)
        for start in range(0, len(vectors), ROWS_PER_BLOCK):
            index.add(vectors[start : start + ROWS_PER_BLOCK])
        self._index = index
        return note

    def save(self, folder: Path) -> None:
        """Write centroids and lists."""
        faiss_module().write_index(self._index, str(folder / _FILE))

    def load(self, folder: Path, vectors: Floats) -> None:
        """Read centroids and lists."""
        self._index = faiss_module().read_index(str(folder / _FILE))

    def candidates(self, queries: Floats, count: int) -> Rows:
        """The best rows of the probed lists."""
        lists = self._index.nlist
        enough = -(-_READ_PER_CANDIDATE * count * lists // self._index.ntotal)
        probes = min(lists, max(plan_probes(self._settings.faiss_nprobe, lists), enough))
        parameters = faiss_module().SearchParametersIVF(nprobe=probes)
        _, rows = self._index.search(queries, count, params=parameters)
        return np.asarray(rows, np.int64)


def plan_lists(asked: int, n: int) -> tuple[int, str]:
    """How many lists n rows make, and the note when that is not what was asked (0: 4 * sqrt(n))."""
    reached = max(1, n // _POINTS_PER_LIST)
    lists = min(asked or round(4 * sqrt(n)), n if asked else reached)
    if lists == 1 and asked != 1:
        return 1, f"faiss ivf: {n} vectors are too few for lists; they are searched as flat"
    if lists < asked:
        return lists, f"faiss ivf: {lists} lists instead of {asked}, for {n} vectors"
    return lists, ""


def plan_probes(asked: int, lists: int) -> int:
    """How many lists a query reads (0: a quarter of them)."""
    return asked or -(-lists // 4)
