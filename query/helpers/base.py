"""What every query helper promises."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol

from index.reader import GenerationReader
from kb.settings import QuerySettings
from query.question import Question
from query.ranking import Ranking


@dataclass(frozen=True, slots=True)
class SubQuery:
    """One further search."""

    name: str  # of its share in the fused score
    says: str  # for people
    question: Question  # what the legs read
    by_meaning: bool = False  # the dense leg alone
    instead: bool = False  # read in place of the question, not beside it


class Helper(Protocol):
    """Makes further searches of a question: with an LLM, or without one where it can."""

    needs_llm: ClassVar[bool]  # there is no form without one

    def __init__(self, settings: QuerySettings) -> None: ...

    def searches(
        self, question: Question, reader: GenerationReader, best: Callable[[], Ranking]
    ) -> list[SubQuery]:
        """The further searches; none where the helper has nothing to add.

        Args:
            question: the user's; a failed call to its LLM goes into its notes.
            reader: the generation.
            best: what the question by itself finds, reranked.

        Raises:
            Unavailable: it needs an LLM, and there is none.
            BudgetReached: a cap of the run is too near.
        """
        ...
