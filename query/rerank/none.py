"""No rerank: candidates stay as they were fused."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.settings import QuerySettings
from query.question import Question
from query.rerank.base import Judged


class NoRerank:
    """Scores that keep the order."""

    needs_tokens: ClassVar[bool] = False
    gives_probability: ClassVar[bool] = False
    looks_again: ClassVar[bool] = False

    def __init__(self, settings: QuerySettings) -> None:
        pass

    def score(
        self, question: Question, rows: NDArray[np.int64], reader: GenerationReader
    ) -> Judged:
        """See `query.rerank.base.Reranker`."""
        return Judged(-np.arange(len(rows), dtype=np.float64))
