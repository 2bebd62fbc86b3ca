"""Asks an LLM for reports; a cap, or a service that is down, ends the asking only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from index.graph.communities import prompt
from index.graph.communities.prompt import Lines, Report
from ingest.contextualize.wish import Wish
from ingest.read_report import Progress
from kb.errors import BudgetReached, Unavailable
from kb.models.llm.base import Answer, Failed, Prompt
from kb.models.llm.llm import Llm

_AT_ONCE = 32  # prompts in hand


@dataclass(slots=True)
class Asked:
    """What came of it, by community."""

    reports: dict[int, Report] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)  # why there is none, or not all of it
    pending: int = 0
    stopped: BudgetReached | Unavailable | None = None


def ask(
    lines: Mapping[int, Lines], llm: Callable[[], Llm], wish: Wish, progress: Progress
) -> Asked:
    """A report for each community that `lines` are given of; what may yet be answered is asked twice."""
    asked = Asked()
    again = _round(list(lines.items()), asked, llm, wish, progress, last=False)
    _round(again, asked, llm, wish, progress, last=True)
    return asked


def _round(
    items: list[tuple[int, Lines]],
    asked: Asked,
    llm: Callable[[], Llm],
    wish: Wish,
    progress: Progress,
    *,
    last: bool,
) -> list[tuple[int, Lines]]:
    again = []
    for first in range(0, len(items), _AT_ONCE):
        batch = items[first : first + _AT_ONCE]
        answers = _answers([prompt.prompt_of(one) for _, one in batch], asked, llm(), wish)
        for (place, one), answer in zip(batch, answers, strict=True):
            if answer is None:
                asked.pending += 1
            elif isinstance(answer, Answer):
                asked.reports[place] = answer.value
                if not answer.whole:
                    asked.failed[place] = "the answer was cut: what could be read of it is kept"
            elif answer.may_pass and not last:
                again.append((place, one))
            else:
                asked.failed[place] = answer.reason
        progress("reported", len(batch))
    return again


def _answers(
    prompts: Sequence[Prompt], asked: Asked, llm: Llm, wish: Wish
) -> Sequence[Answer[Report] | Failed | None]:
    """None: not asked. What is in the cache is taken in any case."""
    if wish.ask and asked.stopped is None:
        try:
            return llm.ask_all(prompts, Report, check=lambda _, report: prompt.lacks(report))
        except (BudgetReached, Unavailable) as error:
            asked.stopped = error
    return [llm.known(one, Report) for one in prompts]
