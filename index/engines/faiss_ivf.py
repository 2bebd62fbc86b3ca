"""Inverted lists over faiss' k-means: a query reads the rows of its nearest centroids."""

from math import sqrt
from pathlib import Path

import numpy as np

from index.engines.base import Floats, Rows
from index.engines.scoring import ROWS_PER_BLOCK
from kb.settings import EngineSettings

_CENTROIDS, _ROWS, _BOUNDS = "centroids.npy", "rows.npy", "bounds.npy"
_POINTS_PER_LIST = 39  # faiss' own floor for a k-means worth its name
_ITERATIONS = 20
_READ_PER_CANDIDATE = 4  # a list's rows are near only in part


class FaissIvf:
    """Which rows belong to which centroid; see `index.engines.faiss.Kind`.

    faiss' IndexIVFFlat would copy all vectors into its lists, and read them back for one question.
    Here the lists hold row numbers, and only the rows of the probed lists are read from the mapped
    matrix, for the exact scores that every engine gives anyway. One list of all rows is flat.
    """

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._centroids: Floats = np.empty((0, 0), np.float32)
        self._rows: Rows = np.empty(0, np.int64)  # by list, rising within a list
        self._bounds: Rows = np.zeros(1, np.int64)  # list i is rows[bounds[i]:bounds[i + 1]]

    def build(self, vectors: Floats) -> str:
        """Cluster the rows; too few of them for the lists asked make fewer lists, and a note."""
        import faiss

        lists, note = plan_lists(self._settings.faiss_nlist, len(vectors))
        means = faiss.Kmeans(
            vectors.shape[1],
            lists,
            niter=_ITERATIONS,
            seed=self._settings.seed,
            spherical=True,
            min_points_per_centroid=1,  # checked by plan_lists; faiss would warn on stderr
        )
        means.train(vectors)
        self._centroids = np.array(means.centroids, np.float32)
        nearest = np.concatenate(
            [
                self._nearest(vectors[start : start + ROWS_PER_BLOCK], 1)[:, 0]
                for start in range(0, len(vectors), ROWS_PER_BLOCK)
            ]
        )
        self._rows = np.argsort(nearest, kind="stable").astype(np.int64)
        sizes = np.bincount(nearest, minlength=lists)
        self._bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return note

    def save(self, folder: Path) -> None:
        """Write centroids and lists."""
        np.save(folder / _CENTROIDS, self._centroids)
        np.save(folder / _ROWS, self._rows)
        np.save(folder / _BOUNDS, self._bounds)

    def load(self, folder: Path, vectors: Floats) -> None:
        """Read centroids and lists."""
        self._centroids = np.load(folder / _CENTROIDS, allow_pickle=False)
        self._rows = np.load(folder / _ROWS, allow_pickle=False)
        self._bounds = np.load(folder / _BOUNDS, allow_pickle=False)

    def candidates(self, queries: Floats, count: int) -> Rows:
        """All rows of the probed lists: more than `count`, or fewer where the lists are short."""
        lists = len(self._centroids)
        enough = -(-_READ_PER_CANDIDATE * count * lists // len(self._rows))
        probes = self._nearest(queries, min(lists, max(self._settings.faiss_nprobe, enough)))
        found = [self._members(probed) for probed in probes]
        result = np.full((len(queries), max(map(len, found), default=0)), -1, np.int64)
        for line, rows in zip(result, found, strict=True):
            line[: len(rows)] = rows
        return result

    def _nearest(self, points: Floats, count: int) -> Rows:
        import faiss

        _, lists = faiss.knn(points, self._centroids, count, faiss.METRIC_INNER_PRODUCT)
        return np.asarray(lists, np.int64)

    def _members(self, lists: Rows) -> Rows:
        bounds = self._bounds
        return np.concatenate([self._rows[bounds[i] : bounds[i + 1]] for i in lists if i >= 0])


def plan_lists(asked: int, n: int) -> tuple[int, str]:
    """How many lists n rows make, and the note when that is not what was asked (0: 4 * sqrt(n))."""
    reached = max(1, n // _POINTS_PER_LIST)
    lists = min(asked or round(4 * sqrt(n)), n if asked else reached)
    if lists == 1 and asked != 1:
        return 1, f"faiss ivf: {n} vectors are too few for lists; they are searched as flat"
    if lists < asked:
        return lists, f"faiss ivf: {lists} lists instead of {asked}, for {n} vectors"
    return lists, ""
