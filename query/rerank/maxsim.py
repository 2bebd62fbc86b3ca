"""Late interaction (ColBERT, Khattab and Zaharia, SIGIR 2020) over stored sign bits.

score = weighted mean over the question's tokens of the best dot product with any token of the chunk. The
question's vectors stay in float, the chunk's are sign bits scaled to unit length. A token weighs as much
as its word tells (BM25's IDF): "what", "is" and "the" find a partner in every chunk.
"""

import re
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.errors import UsageError
from kb.models.token_bits import best_matches
from kb.settings import QuerySettings
from query.question import Question
from query.rerank.base import Coverage, Judged

_WORD = re.compile(r"\w+")
_LEAST = 0.1  # of a stop word's token


class MaxSimRerank:
    """Compares token by token."""

    needs_tokens: ClassVar[bool] = True
    gives_probability: ClassVar[bool] = False
    looks_again: ClassVar[bool] = False

    def __init__(self, settings: QuerySettings) -> None:
        pass

    def score(
        self, question: Question, rows: NDArray[np.int64], reader: GenerationReader
    ) -> Judged:
        """See `query.rerank.base.Reranker`."""
        if reader.tokens is None:
            raise UsageError(
                f"generation {reader.folder.name} keeps no token vectors, which --rerank maxsim "
                "compares: set token_vectors.store = true and run 'tesela index', or use "
                "--rerank none"
            )
        codes, offsets = reader.tokens.take(rows)
        matches = best_matches(question.tokens, codes, offsets)
        foreign = question.foreign(reader)
        if foreign is not None:
            matches += np.float32(question.token_language_gap) * foreign[rows]
        weights = token_weights(question, reader)
        weights /= max(float(weights.sum()), 1e-9)
        return Judged((weights @ matches).astype(np.float64), Coverage(matches, weights))


def token_weights(question: Question, reader: GenerationReader) -> NDArray[np.float32]:
    """How much each token of the question counts, float32 (t,), from .1 to 1."""
    bounds = question.token_bounds
    weights = np.full(len(bounds), _LEAST, np.float32)
    for word in _WORD.finditer(question.text):
        importance = _LEAST + (1 - _LEAST) * reader.bm25.importance(word.group())
        inside = (bounds[:, 0] < word.end()) & (bounds[:, 1] > word.start())
        weights[inside] = importance
    return weights
