"""What all approximate engines share: an adapter proposes rows, this decides.

An adapter implements four methods over a non-empty matrix. Masks, ties, padding, scores, damaged
files and engines that find too little are dealt with here, once.
"""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

import numpy as np

from index.engines.base import Floats, Mask, Rows
from index.engines.scoring import (
    QUERIES_PER_BLOCK,
    check_search,
    exact_scores,
    search_exact,
)
from index.engines.seal import Seal, read_seal, write_seal
from kb.settings import EngineSettings

_COMPARED_PER_CANDIDATE = 16  # rows that a graph or a forest compares to deliver one candidate
_WIDER = 4  # times as many candidates, where those at hand decide nothing


class ApproximateEngine(ABC):
    """Base of the adapters; see `index.engines.base.Engine` for what it promises.

    A search asks the adapter for more rows than k, by the share of rows that is live, drops the
    dead ones and scores the rest exactly. It compares all live rows instead where that costs no
    more (few rows, a selective mask), and for each query that the candidates do not settle.
    """

    name: str  # in the seal: folders of two names never mix
    version: ClassVar[int] = 1

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings
        self._vectors: Floats = np.empty((0, 0), np.float32)
        self._note = ""

    @abstractmethod
    def _build(self, vectors: Floats) -> str:
        """Index `vectors`, float32 (n, d), n at least 1, and return the note. Deterministic."""

    @abstractmethod
    def _save(self, folder: Path) -> None:
        """Write the index of `_build` into `folder`."""

    @abstractmethod
    def _load(self, folder: Path, vectors: Floats) -> None:
        """Read what `_save` wrote; the files are known to be whole."""

    @abstractmethod
    def _candidates(self, queries: Floats, count: int) -> Rows:
        """`count` near rows of each query, int64 (q, count), in any order, gaps as -1 at the end.

        `count` is at least 1 and at most n. No row is named twice for one query. A query that the
        library fails on gets -1 only.
        """

    def build(self, vectors: Floats) -> None:
        """See `Engine.build`."""
        self._vectors = np.asarray(vectors)
        self._note = self._build(self._vectors) if len(vectors) else ""

    def save(self, folder: Path) -> None:
        """See `Engine.save`."""
        if len(self._vectors):
            self._save(folder)
        write_seal(folder, self._seal(self._vectors))

    def load(self, folder: Path, vectors: Floats) -> None:
        """See `Engine.load`."""
        self._note = read_seal(folder, self._seal(vectors)).note
        self._vectors = np.asarray(vectors)
        if len(vectors):
            self._load(folder, self._vectors)

    def search(self, queries: Floats, k: int, live: Mask | None = None) -> tuple[Rows, Floats]:
        """See `Engine.search`."""
        check_search(self._vectors, queries, k, live)
        n = len(self._vectors)
        alive = n if live is None else int(np.count_nonzero(live))
        wanted = min(k, alive)
        count = _to_fetch(wanted, alive, n)
        if not len(queries) or wanted == 0 or alive <= _COMPARED_PER_CANDIDATE * count:
            return search_exact(self._vectors, queries, k, live)
        if len(queries) <= QUERIES_PER_BLOCK:
            return self._search(queries, k, count, live)
        blocks = range(0, len(queries), QUERIES_PER_BLOCK)
        parts = [self._search(queries[i : i + QUERIES_PER_BLOCK], k, count, live) for i in blocks]
        return np.concatenate([rows for rows, _ in parts]), np.concatenate([s for _, s in parts])

    def _search(
        self, queries: Floats, k: int, count: int, live: Mask | None
    ) -> tuple[Rows, Floats]:
        """The k best live rows among `count` candidates; of more where these do not decide it.

        They do not where fewer than k are live, or where the worst candidate ties with the k-th:
        rows that were not proposed may then tie too, and a lower one of them would come first.
        """
        if len(self._vectors) <= _COMPARED_PER_CANDIDATE * count:
            return search_exact(self._vectors, queries, k, live)
        proposed = self._candidates(queries, count)
        products = exact_scores(self._vectors, proposed, queries)
        worst = products.min(axis=1)
        if live is not None or proposed[:, -1].min() < 0:
            missing = proposed < 0
            worst = np.where(missing, np.inf, products).min(axis=1)
            products[missing if live is None else missing | ~live[proposed]] = -np.inf
        best = np.lexsort((proposed, -products))[:, :k]
        best += np.arange(0, proposed.size, proposed.shape[1])[:, None]
        rows, scores = proposed.take(best), products.take(best)  # half the time of fancy indexing
        undecided = scores[:, -1] <= worst
        if undecided.any():
            rows[undecided], scores[undecided] = self._search(
                queries[undecided], k, _WIDER * count, live
            )
        return rows, scores

    @property
    def note(self) -> str:
        """See `Engine.note`; kept with the files."""
        return self._note

    def _seal(self, vectors: Floats) -> Seal:
        rows, dimension = vectors.shape
        return Seal(self.name, self.version, rows, dimension, self._note)


def _to_fetch(wanted: int, alive: int, n: int) -> int:
    """Candidates that should hold `wanted` live rows when dead ones lie everywhere alike.

    Where all rows are live, the spare ones are for ties only.
    """
    if wanted == 0:
        return 0
    spare = max(2, wanted // 10) if alive == n else max(10, wanted // 5)
    return min(n, -(-(wanted + spare) * n // alive))
