"""The dense leg: cosine of question and chunk vectors."""

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from query.question import Question
from query.ranking import Ranking


def dense(
    question: Question,
    reader: GenerationReader,
    depth: int,
    live: NDArray[np.bool_] | None,
) -> Ranking:
    """Nearest vectors; see `query.retrieve.base.Leg`. Scores are cosines in [-1, 1]."""
    if len(reader) == 0:
        return Ranking.empty()
    rows, scores = reader.engine.search(question.vector[None, :], min(depth, len(reader)), live)
    found = rows[0] >= 0
    return Ranking(rows[0][found], scores[0][found].astype(np.float64))
