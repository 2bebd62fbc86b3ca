"""The dense leg: cosine of question and chunk vectors, less what a shared language adds to it."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from index.engines.scoring import search_exact
from index.reader import GenerationReader
from query.question import Question
from query.ranking import Ranking

Mask = NDArray[np.bool_]
_Search = Callable[
    [NDArray[np.float32], int, Mask | None], tuple[NDArray[np.int64], NDArray[np.float32]]
]


def dense(question: Question, reader: GenerationReader, depth: int, live: Mask | None) -> Ranking:
    """Nearest vectors; see `query.retrieve.base.Leg`.

    Scores are cosines, raised by the embedder's language gap for chunks in another language than the
    question's, where both are known. Without it, any Spanish text would stand before the English
    answer to a Spanish question.
    """
    if len(reader) == 0:
        return Ranking.empty()
    return _ranked(question, reader, depth, live, reader.engine.search)


def dense_of_all(question: Question, reader: GenerationReader, live: Mask | None) -> Ranking:
    """Every row that `live` lets through, whatever the engine would have found."""
    if len(reader) == 0:
        return Ranking.empty()
    return _ranked(question, reader, len(reader), live, partial(search_exact, reader.vectors))


def _ranked(
    question: Question, reader: GenerationReader, depth: int, live: Mask | None, search: _Search
) -> Ranking:
    foreign = question.foreign(reader)
    depth = min(depth, len(reader))
    if foreign is None:
        return _nearest(question, depth, live, search)
    own = ~foreign
    if live is not None:
        own, foreign = own & live, foreign & live
    near, far = (_nearest(question, depth, side, search) for side in (own, foreign))
    return Ranking.sorted(
        np.concatenate([near.rows, far.rows]),
        np.concatenate([near.scores, far.scores + question.language_gap]),
    ).top(depth)


def _nearest(question: Question, depth: int, live: Mask | None, search: _Search) -> Ranking:
    rows, scores = search(question.vector[None, :], depth, live)
    found = rows[0] >= 0
    return Ranking(rows[0][found], scores[0][found].astype(np.float64))
