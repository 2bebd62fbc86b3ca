"""Two lexical indexes as one, with the statistics of the first."""

import numpy as np
from numpy.typing import NDArray

from index.lexical.analyzer import QueryWord
from index.lexical.reader import Bm25Index

Rows = NDArray[np.int64]


class JoinedBm25(Bm25Index):
    """Leaves and derived chunks: how rare a word is, and how long a chunk is, the leaves say.

    Without that a summary, which repeats what its leaves say, would make their words look common.
    """

    def __init__(self, leaves: Bm25Index, derived: Bm25Index) -> None:
        self._leaves = leaves
        self._derived = derived
        self._meta = leaves._meta
        self._settings = leaves._settings
        self._analyzer = leaves._analyzer
        self._documents = leaves._documents
        self._mean = leaves._mean
        self._lengths = np.concatenate([leaves._lengths, derived._lengths])

    def _has(self, term: str) -> bool:
        return self._leaves._has(term) or self._derived._has(term)

    def _df(self, rows: Rows) -> int:
        return int(np.searchsorted(rows, len(self._leaves)))

    def _postings(self, word: QueryWord) -> tuple[Rows, NDArray[np.float64]]:
        rows, tf = self._leaves._postings(word)
        further, further_tf = self._derived._postings(word)
        if not len(further):
            return rows, tf
        return (
            np.concatenate([rows, further + len(self._leaves)]),
            np.concatenate([tf, further_tf]),
        )
