"""The first stage: the legs of a mode, fused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.registry import load
from kb.settings import QuerySettings
from query.fuse.base import Fused, Fusion
from query.question import Question
from query.ranking import Ranking
from query.retrieve import LEGS


@dataclass(frozen=True, slots=True)
class Found:
    """A search's legs, and what they give together."""

    legs: Mapping[str, Ranking]
    fused: Fused


class FirstStage:
    """Asks legs and fuses what they find."""

    def __init__(self, reader: GenerationReader, settings: QuerySettings) -> None:
        self._reader = reader
        self._fusion: Fusion = load("fusion", settings.fusion)(settings)

    def find(
        self, question: Question, names: Sequence[str], live: NDArray[np.bool_] | None, depth: int
    ) -> Found:
        """What the named legs find among the rows that `live` and the question let through.

        Args:
            question: the question.
            names: keys of `query.retrieve.LEGS`.
            live: bool (n,); None for all.
            depth: candidates of each leg.
        """
        rows = len(self._reader)
        legs = {
            name: LEGS[name](question, self._reader, depth, question.allowed(name, live, rows))
            for name in names
        }
        if len(legs) == 1:
            ((name, only),) = legs.items()
            return Found(legs, Fused(only, {name: only.scores}))
        return Found(legs, self._fusion.fuse(legs))
