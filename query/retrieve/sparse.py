"""The lexical leg: BM25."""

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from query.question import Question
from query.ranking import Ranking


def sparse(
    question: Question,
    reader: GenerationReader,
    depth: int,
    live: NDArray[np.bool_] | None,
) -> Ranking:
    """Best BM25 scores; see `query.retrieve.base.Leg`. Scores are above 0."""
    words = reader.bm25.words(question.text)
    rows, scores = reader.bm25.search_words(words, depth, live)
    return Ranking(rows, scores, ceiling=reader.bm25.ceiling(words))
