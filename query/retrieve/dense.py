"""The dense leg: cosine of question and chunk vectors, less what a shared language adds to it."""

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from query.question import Question
from query.ranking import Ranking

Mask = NDArray[np.bool_]


def dense(question: Question, reader: GenerationReader, depth: int, live: Mask | None) -> Ranking:
    """Nearest vectors; see `query.retrieve.base.Leg`.

    Scores are cosines, raised by the embedder's language gap for chunks in another language than the
    question's, where both are known. Without it, any Spanish text would stand before the English
    answer to a Spanish question.
    """
    if len(reader) == 0:
        return Ranking.empty()
    foreign = question.foreign(reader)
    if foreign is None:
        return _nearest(question, reader, depth, live)
    own = ~foreign
    if live is not None:
        own, foreign = own & live, foreign & live
    near, far = (_nearest(question, reader, depth, side) for side in (own, foreign))
    return Ranking.sorted(
        np.concatenate([near.rows, far.rows]),
        np.concatenate([near.scores, far.scores + question.language_gap]),
    ).top(depth)


def _nearest(
    question: Question, reader: GenerationReader, depth: int, live: Mask | None
) -> Ranking:
    rows, scores = reader.engine.search(question.vector[None, :], min(depth, len(reader)), live)
    found = rows[0] >= 0
    return Ranking(rows[0][found], scores[0][found].astype(np.float64))
