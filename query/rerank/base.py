"""What every reranker promises."""

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.settings import QuerySettings
from query.question import Question


class Reranker(Protocol):
    """Reads question and candidates together and scores each candidate anew."""

    needs_tokens: ClassVar[bool]  # the question is to be embedded with token vectors

    def __init__(self, settings: QuerySettings) -> None: ...

    def score(
        self, question: Question, rows: NDArray[np.int64], reader: GenerationReader
    ) -> NDArray[np.float64]:
        """A score for each of `rows`, float64 (len(rows),), higher is better; empty in, empty out.

        Raises:
            UsageError: the generation or the embedder lacks what this reranker reads.
            Unavailable: its model cannot be reached.
        """
        ...
