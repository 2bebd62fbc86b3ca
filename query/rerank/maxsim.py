"""Late interaction (ColBERT, Khattab and Zaharia, SIGIR 2020) over stored sign bits.

score = mean over the question's tokens of the best dot product with any token of the chunk. The
question's vectors stay in float, the chunk's are sign bits scaled to unit length.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.errors import UsageError
from kb.models.token_bits import maxsim
from kb.settings import QuerySettings
from query.question import Question


class MaxSimRerank:
    """Compares token by token."""

    needs_tokens: ClassVar[bool] = True

    def __init__(self, settings: QuerySettings) -> None:
        pass

    def score(
        self, question: Question, rows: NDArray[np.int64], reader: GenerationReader
    ) -> NDArray[np.float64]:
        """See `query.rerank.base.Reranker`."""
        if reader.tokens is None:
            raise UsageError(
                f"generation {reader.folder.name} keeps no token vectors, which --rerank maxsim "
                "compares: set token_vectors.store = true and run 'tesela index', or use "
                "--rerank none"
            )
        codes, offsets = reader.tokens.take(rows)
        return maxsim(question.tokens, codes, offsets).astype(np.float64)
