"""Asks an LLM about the entities of chunks; a cap, or a service that is down, ends the asking only."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from index.graph.extract.answer import SaidGraph, to_extraction
from index.graph.extract.prompt import lacks, prompt_of
from index.graph.names import name_key
from index.graph.records import Extraction
from ingest.contextualize.wish import Wish
from ingest.read_report import Progress
from kb.errors import BudgetReached, Unavailable
from kb.models.llm.base import Answer, Failed, Prompt
from kb.models.llm.llm import Llm
from kb.settings import Settings

_AT_ONCE = 8  # prompts in hand, times those that may be under way
_ROUNDS = 3  # times that a text is asked about
CUT = "the answer was cut or wrong in part: what could be read of it is kept"


@dataclass(frozen=True, slots=True)
class Given:
    """What an LLM said of one text, or why it did not."""

    extraction: Extraction | None
    problem: str = ""


@dataclass(slots=True)
class Asker:
    """Asks about texts, each by a key of its own.

    Attributes:
        pending: texts that it was not asked about.
        stopped: why that is so.
    """

    settings: Settings
    llm: Callable[[], Llm]
    wish: Wish
    progress: Progress
    pending: int = 0
    stopped: BudgetReached | Unavailable | None = None
    _again: dict[str, str] = field(default_factory=dict)
    _partly: dict[str, SaidGraph] = field(default_factory=dict)  # what was said by halves

    def ask(self, texts: Mapping[str, str]) -> Iterator[dict[str, Given]]:
        """What it says of each text, some at a time; what may yet be answered is asked again at the end."""
        waiting = dict(texts)
        for left in reversed(range(_ROUNDS)):
            self._again.clear()
            yield from self._round(waiting.items(), last=left == 0)
            waiting = dict(self._again)

    def _round(self, items: Iterable[tuple[str, str]], *, last: bool) -> Iterator[dict[str, Given]]:
        waiting = iter(items)
        while batch := list(islice(waiting, _AT_ONCE * self.settings.llm.concurrency)):
            found: dict[str, Given] = {}
            types = self.settings.graph.types
            answers = self._answers([prompt_of(text, types) for _, text in batch])
            said: dict[str, tuple[SaidGraph, str]] = {}
            for (key, text), answer in zip(batch, answers, strict=True):
                if answer is None:
                    self.pending += 1
                elif isinstance(answer, Answer) and answer.whole:
                    said[key] = answer.value, ""
                elif not last and (isinstance(answer, Answer) or answer.may_pass):
                    self._again[key] = text
                    if isinstance(answer, Answer):
                        self._partly[key] = answer.value
                elif isinstance(answer, Answer) or key in self._partly:
                    part = answer.value if isinstance(answer, Answer) else self._partly[key]
                    said[key] = part, CUT
                else:
                    found[key] = Given(None, answer.reason)
            texts = dict(batch)
            self._glean(texts, said)
            for key, (graph, problem) in said.items():
                found[key] = Given(to_extraction(texts[key], graph), problem)
            self.progress("extracted", len(found))
            yield found

    def _glean(self, texts: Mapping[str, str], said: dict[str, tuple[SaidGraph, str]]) -> None:
        """Ask for what was left out, as often as the settings say and something new comes."""
        going = [key for key, (_, problem) in said.items() if not problem]
        for _ in range(self.settings.graph.gleanings):
            types = self.settings.graph.types
            prompts = [prompt_of(texts[key], types, said[key][0]) for key in going]
            answers = self._answers(prompts)
            more = []
            for key, answer in zip(going, answers, strict=True):
                if isinstance(answer, Answer):
                    joined = _with(said[key][0], answer.value)
                    if joined is not None:
                        said[key] = joined, ""
                        more.append(key)
            going = more

    def _answers(self, prompts: Sequence[Prompt]) -> Sequence[Answer[SaidGraph] | Failed | None]:
        """None: not asked. What is in the cache is taken in any case."""
        if not prompts:
            return []
        llm = self.llm()
        if self.wish.ask and self.stopped is None:
            try:
                return llm.ask_all(prompts, SaidGraph, check=lambda _, said: lacks(said))
            except (BudgetReached, Unavailable) as error:
                self.stopped = error
        return [llm.known(one, SaidGraph) for one in prompts]


def _with(known: SaidGraph, more: SaidGraph) -> SaidGraph | None:
    """Both together; None where the second says nothing new."""
    names = {name_key(one.name) for one in known.entities}
    entities = [one for one in more.entities if name_key(one.name) not in names]
    relations = [one for one in more.relations if one not in known.relations]
    if not entities and not relations:
        return None
    return SaidGraph(known.entities + entities, known.relations + relations)
