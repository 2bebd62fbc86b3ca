"""What every retrieval leg promises."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from query.question import Question
from query.ranking import Ranking

Mask = NDArray[np.bool_]


class Leg(Protocol):
    """One way to find chunks."""

    def __call__(
        self, question: Question, reader: GenerationReader, depth: int, live: Mask | None
    ) -> Ranking:
        """The best `depth` rows among those that `live`, bool (n,), lets through.

        Only rows that the leg has a reason for: a chunk with no word of the question is absent from
        the lexical leg, not last in it.
        """
        ...
