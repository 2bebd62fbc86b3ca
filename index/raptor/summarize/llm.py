"""Summaries by an LLM; where it gives none, the members' own sentences stand in."""

from collections.abc import Callable, Sequence

from index.raptor.members import Member, Summary
from index.raptor.summarize import prompt
from index.raptor.summarize.extractive import ExtractiveSummarizer
from ingest.contextualize.wish import Wish
from ingest.read_report import Progress
from kb.errors import BudgetReached, Unavailable
from kb.models.llm.base import Answer, Failed, Prompt
from kb.models.llm.llm import Llm

FEW_WORDS = 120  # members that have no more between them need no summary: they are one
_AT_ONCE = 8  # prompts made ahead, times those that may be under way
_Said = Answer[str] | Failed | None  # None: not asked


class LlmSummarizer:
    """60 to 120 words on each cluster, checked, and kept in the LLM cache under the members' words.

    A cap, or a service that is down, ends the asking only: what is in the cache is still taken, and
    the other summaries are pending.

    Args:
        llm: opened when there is something to ask.
        concurrency: calls that may be under way at once.
        wish: whether anything is asked.
        progress: told of summaries.
    """

    name: str = "llm"
    version: str = f"{prompt.VERSION}/{ExtractiveSummarizer.version}"

    def __init__(
        self, llm: Callable[[], Llm], concurrency: int, wish: Wish, progress: Progress
    ) -> None:
        self.stopped: BudgetReached | Unavailable | None = None
        self._llm = llm
        self._opened: Llm | None = None
        self._slice = _AT_ONCE * concurrency
        self._wish = wish
        self._progress = progress
        self._extractive = ExtractiveSummarizer()

    @property
    def calls(self) -> int:
        """How many calls were made."""
        return self._opened.calls if self._opened else 0

    def summarize(self, clusters: Sequence[Sequence[Member]]) -> list[Summary]:
        """See `index.raptor.members.Summarizer`."""
        summaries = self._extractive.summarize(clusters)
        asked = [place for place, cluster in enumerate(clusters) if not _is_short(cluster)]
        for first in range(0, len(asked), self._slice):
            places = asked[first : first + self._slice]
            answers = self._answers([clusters[place] for place in places])
            for place, answer in zip(places, answers, strict=True):
                summaries[place] = _taken(answer, clusters[place], summaries[place])
            self._progress("summaries", len(places))
        return summaries

    def _answers(self, clusters: Sequence[Sequence[Member]]) -> Sequence[_Said]:
        """Once more is asked for what failed in passing."""
        if self._opened is None:
            self._opened = self._llm()
        room = self._opened.room
        members = {prompt.prompt_of(cluster, room): cluster for cluster in clusters}
        prompts = [prompt.prompt_of(cluster, room) for cluster in clusters]
        answers = self._ask(self._opened, prompts, members)
        again = [i for i, said in enumerate(answers) if isinstance(said, Failed) and said.may_pass]
        if again:
            second = self._ask(self._opened, [prompts[i] for i in again], members)
            for i, said in zip(again, second, strict=True):
                answers[i] = said
        return answers

    def _ask(
        self, llm: Llm, prompts: list[Prompt], members: dict[Prompt, Sequence[Member]]
    ) -> list[_Said]:
        if self._wish.ask and self.stopped is None:
            try:
                return [
                    *llm.ask_all(
                        prompts, str, check=lambda one, said: prompt.lacks(said, members[one])
                    )
                ]
            except (BudgetReached, Unavailable) as error:
                self.stopped = error
        return [llm.known(one, str) for one in prompts]


def _is_short(cluster: Sequence[Member]) -> bool:
    return sum(len(member.text.split()) for member in cluster) <= FEW_WORDS


def _taken(answer: _Said, members: Sequence[Member], own: Summary) -> Summary:
    """The LLM's words where they can be taken, else those of the members."""
    if answer is None:
        return Summary(own.text, own.quotes, pending=True)
    if isinstance(answer, Failed):
        return Summary(own.text, own.quotes, stood_in=answer.reason)
    problem = prompt.lacks(answer.value, members)
    if problem:
        return Summary(own.text, own.quotes, stood_in=f"unusable twice: {problem}")
    return Summary(prompt.cleaned(answer.value))
