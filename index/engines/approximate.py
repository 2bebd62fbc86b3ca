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
        if wanted == 0 or alive <= _COMPARED_PER_CANDIDATE * count:
            return search_exact(self._vectors, queries, k, live)
        rows, scores = (
            np.empty((len(queries), k), np.int64),
            np.empty((len(queries), k), np.float32),
        )
        for start in range(0, len(queries), QUERIES_PER_BLOCK):
            block = queries[start : start + QUERIES_PER_BLOCK]
            for i, proposed in enumerate(self._candidates(block, count), start):
                found = self._settle(queries[i], proposed, k, live)
                rows[i], scores[i] = found or self._search_wider(queries[i : i + 1], k, count, live)
        return rows, scores

    def _settle(
        self, query: Floats, proposed: Rows, k: int, live: Mask | None
    ) -> tuple[Rows, Floats] | None:
        """The k best live rows among the candidates, or None where these do not decide it.

        They do not where fewer than k are live, or where the worst candidate ties with the k-th:
        rows that were not proposed may then tie too, and a lower one of them would come first.
        Each call here costs about as much as comparing five rows, so there are few.
        """
        if proposed[-1] < 0:
            proposed = proposed[proposed >= 0]
        scores = exact_scores(self._vectors, proposed, query)
        order = np.lexsort((proposed, -scores))
        best = order[:k] if live is None else order[live[proposed[order]]][:k]
        if len(best) < k or scores[best[-1]] <= scores[order[-1]]:
            return None
        return proposed[best], scores[best]

    def _search_wider(
        self, query: Floats, k: int, count: int, live: Mask | None
    ) -> tuple[Rows, Floats]:
        """As `search`, for one query (1, d) that `count` candidates leave open: of more, or all rows."""
        count *= _WIDER
        if len(self._vectors) > _COMPARED_PER_CANDIDATE * count:
            found = self._settle(query[0], self._candidates(query, count)[0], k, live)
            return found or self._search_wider(query, k, count, live)
        rows, scores = search_exact(self._vectors, query, k, live)
        return rows[0], scores[0]

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
    spare = max(4, wanted // 10) if alive == n else max(10, wanted // 5)
    return min(n, -(-(wanted + spare) * n // alive))
