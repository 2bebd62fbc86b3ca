"""A summariser for the time of a build, and what it has to tell afterwards."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from index.derived.base import Making
from index.raptor.members import Summarizer
from index.raptor.summarize.extractive import ExtractiveSummarizer
from index.raptor.summarize.llm import LlmSummarizer
from kb.errors import BudgetReached, Unavailable
from kb.models.llm.lazily import lazily
from kb.models.llm.plan import Plan


@dataclass(slots=True)
class Asked:
    """What asking an LLM came to; filled in when the summariser is closed."""

    notes: list[str] = field(default_factory=list)
    calls: int = 0
    stopped: BudgetReached | Unavailable | None = None  # why summaries are pending


@contextlib.contextmanager
def opened(
    making: Making, name: str, plan: Plan | None = None
) -> Iterator[tuple[Summarizer, Asked]]:
    """The summariser `name`, "extractive" or "llm"; the LLM is opened when it is first needed.

    Args:
        making: the build; of it location, settings, wish and progress are used.
        name: as in ``raptor.summarizer``.
        plan: count what would be asked, ask nothing, and let the extractive summaries stand in.

    Raises:
        Unavailable: from `Summarizer.summarize`, where an LLM is needed and none is set.
    """
    asked = Asked()
    if name == ExtractiveSummarizer.name:
        yield ExtractiveSummarizer(), asked
        return
    with lazily(making.location, making.settings.llm, asked.notes.append, plan) as llm:
        summarizer = LlmSummarizer(
            llm, making.settings.llm.concurrency, making.wish, making.progress
        )
        try:
            yield summarizer, asked
        finally:
            asked.calls = summarizer.calls
            asked.stopped = summarizer.stopped
