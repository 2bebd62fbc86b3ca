"""Question and passage read together by a cross-encoder (Nogueira and Cho, 2019, arXiv:1901.04085).

A passage is read with its context before it, as the first stage reads it: cut out of its section it
often does not say what it is about.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.models.cross_encoder_load import load_cross_encoder
from kb.settings import QuerySettings
from query.question import Question
from query.rerank.base import Judged


class CrossEncoderRerank:
    """Scores by the model of ``query.rerank_model``; it begins to load at once.

    Raises:
        Unavailable: there is no such model.
    """

    needs_tokens: ClassVar[bool] = False
    gives_probability: ClassVar[bool] = True
    looks_again: ClassVar[bool] = True

    def __init__(self, settings: QuerySettings) -> None:
        self._model = load_cross_encoder(settings.rerank_model, settings.rerank_max_tokens)
        self._model.preload()

    def score(
        self, question: Question, rows: NDArray[np.int64], reader: GenerationReader
    ) -> Judged:
        """See `query.rerank.base.Reranker`."""
        passages = [reader.chunks[int(row)].embedded_text for row in rows]
        return Judged(self._model.probabilities(question.text, passages))
