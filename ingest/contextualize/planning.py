"""What the context stage would ask of an LLM, found out without asking."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from ingest.chunk.windows import joined, with_chunks
from ingest.contextualize.asking import Asker, Situating
from ingest.contextualize.llm import LlmContext
from ingest.contextualize.wish import Wish
from kb.models.llm.llm import Llm
from kb.records import Chunk, Document
from kb.settings import LlmSettings
from kb.store import Said


class ContextPlanner:
    """Goes through documents as the stage would; the LLM is one that only plans."""

    def __init__(
        self, provider: LlmContext, settings: LlmSettings, llm: Callable[[], Llm], wish: Wish
    ) -> None:
        self._llm = llm
        self._asker = Asker(
            provider, settings.model, llm, settings.concurrency, wish, lambda *_: None
        )

    def situate(
        self, before: Mapping[str, Said], parts: Iterable[Document], chunks: Iterable[Chunk]
    ) -> Iterator[tuple[str, ...]]:
        """The contexts of a document's chunks by window, as far as they are known; the rest is planned."""
        into = Situating(before)
        for window, inside in with_chunks(joined(parts), chunks):
            for item in self._asker.wanted(into, window.document, inside):
                self._llm().ask(item.make(), str)
            yield tuple(into.parts[-1])
