"""What every reranker promises."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.settings import QuerySettings
from query.question import Question


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which parts of the question each candidate meets."""

    matches: NDArray[np.float32]  # (parts, candidates), higher is better
    weights: NDArray[np.float32]  # (parts,), none below 0: how much each part tells


@dataclass(frozen=True, slots=True)
class Judged:
    """What a reranker says of the candidates."""

    scores: NDArray[np.float64]  # (candidates,), higher is better
    coverage: Coverage | None = None  # where the reranker sees parts of the question


class Reranker(Protocol):
    """Reads question and candidates together and scores each candidate anew."""

    needs_tokens: ClassVar[bool]  # the question is to be embedded with token vectors
    gives_probability: ClassVar[bool]  # a score is the probability, 0 to 1, that the chunk answers
    looks_again: ClassVar[bool]  # dear: reads only the best of what a cheaper look has ordered

    def __init__(self, settings: QuerySettings) -> None: ...

    def score(
        self, question: Question, rows: NDArray[np.int64], reader: GenerationReader
    ) -> Judged:
        """A verdict on each of `rows`, in their order; empty in, empty out.

        NaN where one could not be had; `Question.notes` says why.

        Raises:
            UsageError: the generation or the embedder lacks what this reranker reads.
            Unavailable: its model cannot be reached.
        """
        ...
