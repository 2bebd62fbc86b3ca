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
    """Best BM25 scores; see `query.retrieve.base.Leg`. Scores are above 0.

    A phrase of stop words is scored as one term.
    """
    bm25 = reader.bm25
    words = bm25.words(question.asked.lexical)
    if question.held is None or any(word.terms for word in words):
        rows, scores = bm25.search_words(words, depth, live)
        return Ranking(rows, scores, ceiling=bm25.ceiling(words))
    found = question.held if live is None else question.held[live[question.held]]
    rows, scores = bm25.search_rows(found, len(question.held), depth)
    return Ranking(rows, scores, ceiling=float(scores[0]) if len(scores) else 0.0)
