"""Asks an LLM for contexts, document by document; what it said before of the same chunk is kept."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from ingest.chunk.windows import Window
from ingest.contextualize import prompt
from ingest.contextualize.llm import LlmContext, chunk_key
from ingest.contextualize.surroundings import Surroundings
from ingest.contextualize.wish import Wish
from ingest.read_report import Progress
from kb.digest import digest
from kb.errors import BudgetReached, Unavailable
from kb.models.llm.base import Answer, Failed, Prompt
from kb.models.llm.llm import Llm
from kb.records import Chunk, Document
from kb.store import Said

_AT_ONCE = 8  # prompts made ahead, times those that may be under way
_HELD = 4 << 20  # characters of documents held while their chunks are asked for
Situated = Iterable[tuple[Window, Sequence[Chunk]]]


@dataclass(slots=True)
class Situating:
    """The contexts of one document in the making."""

    before: Mapping[str, Said]  # by chunk key
    parts: list[list[str]] = field(default_factory=list)  # by window; what stands in, or the answer
    said: dict[str, Said] = field(default_factory=dict)
    pending: int = 0  # chunks that are still to be asked for

    @property
    def failed(self) -> list[str]:
        """Why the LLM did not answer, one a chunk."""
        return [one.problem for one in self.said.values() if one.problem]


@dataclass(frozen=True, slots=True)
class Item:
    """A chunk that the LLM is to be asked for."""

    into: Situating
    part: int
    place: int
    key: str
    document: str  # digest
    make: Callable[[], Prompt]  # a prompt holds much text, so it is made when it is sent
    first: bool  # of its document: once it is answered, the provider may know the beginning


class Asker:
    """Asks for the chunks of many documents. A cap, or a service that is down, ends the asking only.

    Args:
        provider: shortens answers, and gives what stands in.
        model: under which answers are kept.
        llm: opened when there is something to ask.
        concurrency: calls that may be under way at once.
        wish: what is asked again, and whether anything is.
        progress: told of chunks.
    """

    def __init__(
        self,
        provider: LlmContext,
        model: str,
        llm: Callable[[], Llm],
        concurrency: int,
        wish: Wish,
        progress: Progress,
    ) -> None:
        self.stopped: BudgetReached | Unavailable | None = None
        self.answered = 0
        self._provider = provider
        self._model = model
        self._llm = llm
        self._slice = _AT_ONCE * concurrency
        self._wish = wish
        self._progress = progress

    def situate(self, documents: Iterable[tuple[Situating, Situated]]) -> None:
        """Fill `Situating` of each document, given by window."""
        items: list[Item] = []
        held = 0
        for into, situated in documents:
            for window, chunks in situated:
                fresh = list(self.wanted(into, window.document, chunks))
                items += fresh
                held += len(window.document.text) if fresh else 0
                if held >= _HELD:
                    self._ask(items)
                    items, held = [], 0
        self._ask(items)

    def wanted(
        self, into: Situating, document: Document, chunks: Sequence[Chunk]
    ) -> Iterator[Item]:
        """Take over what is known, put what stands in for the rest, and give that."""
        contexts = self._provider.contexts(document, chunks)
        into.parts.append(contexts)
        seen = digest(document.text)
        around: list[Surroundings] = []

        def make(place: int) -> Prompt:
            if not around:
                around.append(Surroundings(document, self._llm().room))
            before = chunks[place - 1].text if place else ""
            after = chunks[place + 1].text if place + 1 < len(chunks) else ""
            return prompt.prompt_of(chunks[place], around[0], before, after)

        first = True
        for place, chunk in enumerate(chunks):
            key = chunk_key(chunk, self._model)
            known = into.said.get(key) or into.before.get(key)
            if known is not None and self._holds(known, seen):
                into.said[key] = known
                contexts[place] = (
                    self._provider.fit(known.context, contexts[place]) or contexts[place]
                )
                continue
            yield Item(into, len(into.parts) - 1, place, key, seen, partial(make, place), first)
            first = False

    def _holds(self, known: Said, document: str) -> bool:
        if known.problem:
            return known.document == document and not self._wish.retry
        return known.document == document or not self._wish.refresh

    def _ask(self, items: list[Item]) -> None:
        """The first chunk of each document, then the others, then once more what may yet be answered."""
        again: list[Item] = []
        for round_ in ([i for i in items if i.first], [i for i in items if not i.first]):
            again += self._round(round_)
        self._round(again, last=True)

    def _round(self, items: Iterable[Item], *, last: bool = False) -> list[Item]:
        again: list[Item] = []
        waiting = iter(items)
        while batch := list(islice(waiting, self._slice)):
            prompts = [item.make() for item in batch]
            answers = self._answers(prompts)
            for item, answer in zip(batch, answers, strict=True):
                if isinstance(answer, Failed) and answer.may_pass and not last:
                    again.append(item)
                else:
                    self._settle(item, answer)
        return again

    def _answers(self, prompts: list[Prompt]) -> Sequence[Answer[str] | Failed | None]:
        """None: not asked. What is in the cache is taken in any case."""
        llm = self._llm()
        if self._wish.ask and self.stopped is None:
            try:
                return llm.ask_all(prompts, str, check=lambda _, said: prompt.lacks(said))
            except (BudgetReached, Unavailable) as error:
                self.stopped = error
        return [llm.known(one, str) for one in prompts]

    def _settle(self, item: Item, answer: Answer[str] | Failed | None) -> None:
        into = item.into
        if answer is None:
            into.pending += 1
            return
        if isinstance(answer, Failed):
            into.said[item.key] = Said(item.key, item.document, problem=answer.reason)
        elif context := self._provider.fit(answer.value, into.parts[item.part][item.place]):
            self.answered += 1
            into.said[item.key] = Said(item.key, item.document, prompt.cleaned(answer.value))
            into.parts[item.part][item.place] = context
        else:
            into.said[item.key] = Said(item.key, item.document, problem="it says nothing")
        self._progress("asked", 1)
