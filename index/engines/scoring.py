"""Exact scores and their order: the one place where engines' candidates become results.

A float32 matrix product rounds a row differently by its place in the matrix, so that two equal
vectors need not tie. It therefore only makes a shortlist; the shortlist is scored again in float64,
row by row. Every engine ends here, which is why equal rows get equal scores in all of them.
"""

from collections.abc import Iterator

import numpy as np

from index.engines.base import Floats, Mask, Rows

ROWS_PER_BLOCK = 65_536
QUERIES_PER_BLOCK = 128
_RESCORED_AT_ONCE = 8_192


class Shortlist:
    """The rows that may still be among the k best of one query.

    A float32 product of d-dimensional unit vectors errs by at most d * 2^-24 (Higham, Accuracy and
    Stability of Numerical Algorithms, section 3.1), so rows within twice that of the k-th stay.
    """

    def __init__(self, query: Floats, k: int) -> None:
        self._query = query
        self._k = k
        self._margin = np.float32(len(query) * 2.0**-23)
        self._floor = np.float32(-np.inf)
        self._rows: Rows = np.empty(0, np.int64)
        self._scores: Floats = np.empty(0, np.float32)

    def offer(self, rows: Rows, scores: Floats) -> None:
        """Keep those of `rows` that can be in the result; `scores` are their float32 products."""
        near = np.flatnonzero(scores >= self._floor)
        if not near.size:
            return
        self._rows = np.concatenate([self._rows, rows[near]])
        self._scores = np.concatenate([self._scores, scores[near]])
        if len(self._rows) > self._k:
            kth = np.partition(self._scores, -self._k)[-self._k]
            self._floor = kth - self._margin
            keep = self._scores >= self._floor
            self._rows, self._scores = self._rows[keep], self._scores[keep]

    def best(self, vectors: Floats) -> tuple[Rows, Floats]:
        """At most k rows and their exact scores, by falling score, then by rising row."""
        scores = exact_scores(vectors, self._rows, self._query)
        order = np.lexsort((self._rows, -scores))[: self._k]
        return self._rows[order], scores[order]


def exact_scores(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    """Dot products of `rows` with the query, summed in float64, float32 (len(rows),).

    A row's score depends on nothing but its numbers and the query's.
    """
    wide = query.astype(np.float64)
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _RESCORED_AT_ONCE):
        part = rows[start : start + _RESCORED_AT_ONCE]
        scores[start : start + len(part)] = (vectors[part] * wide).sum(axis=1)
    return scores


def search_exact(
    vectors: Floats, queries: Floats, k: int, live: Mask | None
) -> tuple[Rows, Floats]:
    """What `Engine.search` promises, by comparing every live row, in bounded memory."""
    rows, scores = empty_result(len(queries), k)
    if k == 0:
        return rows, scores
    for start in range(0, len(queries), QUERIES_PER_BLOCK):
        block = queries[start : start + QUERIES_PER_BLOCK]
        shortlists = [Shortlist(query, k) for query in block]
        for some, products in _products(vectors, block, live):
            for shortlist, line in zip(shortlists, products, strict=True):
                shortlist.offer(some, line)
        for i, shortlist in enumerate(shortlists, start):
            put(rows, scores, i, *shortlist.best(vectors))
    return rows, scores


def _products(vectors: Floats, queries: Floats, live: Mask | None) -> Iterator[tuple[Rows, Floats]]:
    """Live rows, block by block, and the float32 products (q, rows) of the queries with them."""
    for start in range(0, len(vectors), ROWS_PER_BLOCK):
        block = vectors[start : start + ROWS_PER_BLOCK]
        kept = np.arange(len(block)) if live is None else np.flatnonzero(live[start:][: len(block)])
        if len(kept) == len(block):
            yield start + kept, queries @ block.T
        elif 2 * len(kept) > len(block):  # multiplying dead rows costs less than copying live ones
            yield start + kept, (queries @ block.T)[:, kept]
        elif len(kept):
            yield start + kept, queries @ block[kept].T


def empty_result(queries: int, k: int) -> tuple[Rows, Floats]:
    """All padding: rows -1 and scores -inf, both (queries, k)."""
    return np.full((queries, k), -1, np.int64), np.full((queries, k), -np.inf, np.float32)


def put(rows: Rows, scores: Floats, i: int, found: Rows, found_scores: Floats) -> None:
    """Write one query's result into line i, before the padding."""
    rows[i, : len(found)] = found
    scores[i, : len(found)] = found_scores


def check_search(vectors: Floats, queries: Floats, k: int, live: Mask | None) -> None:
    """Refuse what cannot be searched.

    Raises:
        ValueError: shapes disagree or k is negative; the message gives both numbers.
    """
    if queries.ndim != 2 or queries.shape[1] != vectors.shape[1]:
        raise ValueError(
            f"the index holds {vectors.shape[1]}-d vectors, the queries have shape {queries.shape}"
        )
    if live is not None and live.shape != (len(vectors),):
        raise ValueError(f"the index holds {len(vectors)} rows, the mask has shape {live.shape}")
    if k < 0:
        raise ValueError(f"k must be at least 0, not {k}")
