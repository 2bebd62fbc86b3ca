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
_GROUP = 64  # products whose greatest one stands for all


class Shortlist:
    """The rows that may still be among the k best of one query.

    A float32 product of d-dimensional unit vectors errs by at most d * 2^-24 (Higham, Accuracy and
    Stability of Numerical Algorithms, section 3.1), so rows within twice that of the k-th stay.
    """

    def __init__(self, query: Floats, k: int) -> None:
        self._query = query
        self._k = k
        self._margin = np.float32(len(query) * 2.0**-23)
        self._floor = np.finfo(np.float32).min  # below any product, above the -inf of a dead row
        self._rows: Rows = np.empty(0, np.int64)
        self._scores: Floats = np.empty(0, np.float32)

    def offer(self, rows: Rows | int, scores: Floats) -> None:
        """Keep those of `rows` that can be in the result; `scores` are their float32 products.

        `rows` may be the first of consecutive ones. A score of -inf is no offer.
        """
        near = np.flatnonzero(scores >= max(self._floor, self._low(scores)))
        if not near.size:
            return
        self._rows = np.concatenate(
            [self._rows, near + rows if isinstance(rows, int) else rows[near]]
        )
        self._scores = np.concatenate([self._scores, scores[near]])
        if len(self._rows) > self._k:
            kth = np.partition(self._scores, -self._k)[-self._k]
            self._floor = max(self._floor, kth - self._margin)
            keep = self._scores >= self._floor
            self._rows, self._scores = self._rows[keep], self._scores[keep]

    def _low(self, scores: Floats) -> np.float32:
        """A score that at least k of `scores` reach, less the margin; found in one cheap pass.

        The k-th greatest of the groups' greatest: k groups have one that is as high.
        """
        groups = len(scores) // _GROUP
        if groups < 2 * self._k:
            return np.float32(-np.inf)
        tops = scores[: groups * _GROUP].reshape(groups, _GROUP).max(axis=1)
        low: np.float32 = np.partition(tops, -self._k)[-self._k] - self._margin
        return low

    def best(self, vectors: Floats) -> tuple[Rows, Floats]:
        """At most k rows and their exact scores, by falling score, then by rising row."""
        scores = exact_scores(vectors, self._rows, self._query)
        order = np.lexsort((self._rows, -scores))[: self._k]
        return self._rows[order], scores[order]


def exact_scores(vectors: Floats, rows: Rows, query: Floats) -> Floats:
    """Dot products of `rows` with the query, summed in float64, float32 (len(rows),).

    A row's score depends on nothing but its numbers and the query's: each is a sum of its own.
    """
    wide = query.astype(np.float64)
    if len(rows) <= _RESCORED_AT_ONCE:
        few = vectors.take(rows, axis=0).astype(np.float64)
        return np.asarray(np.vecdot(few, wide), np.float32)
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _RESCORED_AT_ONCE):
        part = vectors.take(rows[start : start + _RESCORED_AT_ONCE], axis=0)
        scores[start : start + len(part)] = np.vecdot(part.astype(np.float64), wide)
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


def _products(
    vectors: Floats, queries: Floats, live: Mask | None
) -> Iterator[tuple[Rows | int, Floats]]:
    """Blocks of rows, or the first of consecutive ones, and the queries' products with them.

    The products are float32 (q, rows), those with dead rows -inf.
    """
    for start in range(0, len(vectors), ROWS_PER_BLOCK):
        block = vectors[start : start + ROWS_PER_BLOCK]
        if live is None:
            yield start, _multiplied(block, queries)
            continue
        alive = live[start : start + len(block)]
        kept = int(np.count_nonzero(alive))
        if 2 * kept > len(block):  # multiplying dead rows costs less than copying live ones
            products = _multiplied(block, queries)
            products[:, ~alive] = -np.inf
            yield start, products
        elif kept:
            found = np.flatnonzero(alive)
            yield start + found, _multiplied(block[found], queries)


def _multiplied(block: Floats, queries: Floats) -> Floats:
    """One query is a vector to BLAS, and several times quicker as one than as a matrix of one row."""
    return (block @ queries[0])[None] if len(queries) == 1 else queries @ block.T


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
