"""What a plan would cost: chunks to embed, found out in memory."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, tee

import msgspec
from msgspec.structs import replace as with_settings

from index.builder import token_embedder
from index.sync import nothing_to_do
from index.vector_cache import VectorCache
from ingest.contextualize.llm import LlmContext
from ingest.contextualize.planning import ContextPlanner
from ingest.contextualize.wish import Wish
from ingest.describe.describer import Describer
from ingest.describe.stage import shown_in, whole
from ingest.keys import ReadKeys
from ingest.pipeline import check_provider, contextualizer, cutter, index_keys, situate
from ingest.plan import Step
from ingest.prepare import Prepared
from ingest.rows import spare
from ingest.workers.pool import Pool, Read, Wanted
from kb.digest import digest
from kb.location import Location
from kb.models.embedder import Embedder
from kb.models.llm.lazily import lazily
from kb.models.llm.llm import Llm
from kb.models.llm.plan import Plan
from kb.records import Chunk, Document, SourceFile
from kb.settings import Settings
from kb.store import FileRow, Store

_BATCH = 512  # texts looked up at a time
_document = msgspec.json.Decoder(Document).decode


@dataclass(slots=True)
class Estimate:
    """What a run would embed and which files would fail."""

    chunks_to_embed: int = 0
    # False: the chunker cuts by meaning, which only embedding tells, or there is text still to come:
    # of OCR or of a model
    exact: bool = True
    ocr_pages: int = 0  # that OCR has still to read
    failing: dict[str, str] = field(default_factory=dict)
    llm: Plan = field(default_factory=Plan)  # what an LLM would be asked


def estimate_contexts(
    location: Location, store: Store, settings: Settings, embedder: Embedder, wish: Wish
) -> Plan:
    """What the context stage would ask of an LLM about the documents that were read."""
    found = Estimate()
    with lazily(location, settings.llm, lambda _: None, found.llm) as llm:
        texts = _Texts(store, settings, embedder, found, llm, wish, None)
        for row in store.files():
            if row.parse_key:
                deque(texts.of_row(row), maxlen=0)
    return found.llm


def estimate(
    location: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    prepared: Prepared,
    describer: Describer | None = None,
    *,
    retry: bool = False,
    plan: Plan | None = None,
) -> Estimate:
    """Parse, cut and situate what changed, without writing, and count what has no vector yet.

    OCR reads nothing for it: of pages that it would read, only those it has read before have text.

    Args:
        location: of the KB.
        store: only read.
        settings: of the KB.
        embedder: of the settings.
        prepared: what is to be done.
        describer: one whose LLM only plans, where pictures are to be described.
        retry: whether contexts that failed are asked for again.
        plan: takes what an LLM would be asked.
    """
    check_provider(settings)
    if nothing_to_do(location, store, settings, embedder, prepared, retry=retry) is not None:
        return Estimate()
    found = Estimate(llm=plan if plan is not None else Plan())
    codes = token_embedder(settings, embedder) is not None
    missing: set[str] = set()
    with (
        VectorCache.unchanged(location.vector_cache, embedder.fingerprint) as cache,
        lazily(location, settings.llm, lambda _: None, found.llm) as llm,
    ):
        texts = _Texts(store, settings, embedder, found, llm, Wish(retry=retry), describer)
        for batch in _runs(texts.all(prepared)):
            missing.update(digest(text) for text in cache.missing(batch, codes))
    found.chunks_to_embed = len(missing)
    found.exact = found.exact and not found.llm.calls
    return found


class _Texts:
    """What would be embedded, were the plan carried out."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        embedder: Embedder,
        found: Estimate,
        llm: Callable[[], Llm],
        wish: Wish,
        describer: Describer | None,
    ) -> None:
        self._describer = describer
        self._store = store
        self._settings = settings
        self._found = found
        self._read_keys = ReadKeys(settings.parse, settings.llm)
        self._keys = index_keys(settings, embedder)
        chunking = settings.chunk
        if chunking.strategy == "semantic":
            settings = with_settings(settings, chunk=with_settings(chunking, strategy="recursive"))
        self._cut = cutter(settings, embedder)
        self._wish = wish
        self._provider = contextualizer(settings, embedder)
        self._planner: ContextPlanner | None = None
        if isinstance(self._provider, LlmContext):
            self._planner = ContextPlanner(self._provider, settings.llm, llm, wish)

    def all(self, prepared: Prepared) -> Iterator[str]:
        """Of the files that stay and of those that come."""
        plan = prepared.plan
        done = {step.entry.path for step in plan.steps} | set(plan.left)
        for row in self._store.files():
            if row.path not in done and row.parse_key:
                yield from self.of_row(row)
        wanted = (
            Wanted(step.entry, spare(step, self._read_keys))
            for step in plan.steps
            if _is_read(step) and isinstance(step.entry, SourceFile)
        )
        cache = self._store.folder / "cache"
        with Pool(self._settings.parse, cache=cache, only_look=True) as pool:
            reads = pool.read(wanted)
            for step in plan.steps:
                yield from self._of_step(step, reads)

    def _of_step(self, step: Step, reads: Iterator[Read]) -> Iterator[str]:
        entry, before = step.entry, step.before
        if step.kind == "failed" or not isinstance(entry, SourceFile):
            self._found.failing[entry.path] = step.reason
            if step.unread and before is not None and before.parse_key:
                yield from self.of_row(before)
        elif _is_read(step):
            yield from self._of_read(step, next(reads))
        elif before is not None and before.parse_key:
            yield from self.of_row(before)

    def _of_read(self, step: Step, read: Read) -> Iterator[str]:
        answer = read.answer
        self._found.ocr_pages += answer.unread_pages
        self._found.exact &= not answer.unread_pages
        if answer.cause and answer.unread_pages:
            return  # with them it may well be a document
        if answer.cause:
            self._found.failing[step.entry.path] = answer.error
        elif answer.spared:
            key = self._read_keys.parsed(answer.sha256, answer.parser)
            alike = (row for row in (step.before, step.donor) if row and row.parse_key == key)
            for row in alike:  # none: it is like a file before it in this plan
                yield from self.of_row(row)
                break
        else:
            asked = step.before.asked_key if step.before else ""
            yield from self._of_parts(self._described(read), asked)

    def _described(self, read: Read) -> Iterator[Document]:
        if self._describer is None or not read.answer.pictured:
            return map(_document, read.parts())
        outcome = self._describer.describe(whole(map(_document, read.parts())), shown_in(read))
        self._found.exact &= outcome.whole
        return iter([outcome.document])

    def of_row(self, row: FileRow) -> Iterator[str]:
        """What would be embedded of a document that was read."""
        chunked = self._keys.chunked(row.parse_key)
        if row.chunk_key != chunked:
            yield from self._of_parts(self._store.documents(row.parse_key), row.asked_key)
            return
        chunks = self._store.chunks(row.chunk_key)
        if self._keys.is_situated(row, retry=self._wish.retry) and not self._wish.refresh:
            yield from _embedded(chunks, self._store.contexts(row.context_key))
        else:
            documents = self._store.documents(row.parse_key)
            yield from self._situated(documents, chunks, row.asked_key)

    def _of_parts(self, parts: Iterable[Document], asked: str) -> Iterator[str]:
        if self._settings.chunk.strategy == "semantic":
            self._found.exact = False
        to_cut, around = tee(parts)
        yield from self._situated(around, chain.from_iterable(self._cut(to_cut)), asked)

    def _situated(
        self, parts: Iterable[Document], chunks: Iterable[Chunk], asked: str
    ) -> Iterator[str]:
        chunks, again = tee(chunks)  # which run a window apart at most
        if self._planner is not None:
            said = self._store.said(asked) if asked else {}
            contexts = self._planner.situate(said, parts, again)
        else:
            contexts = situate(self._provider, parts, again)
        yield from _embedded(chunks, chain.from_iterable(contexts))


def _is_read(step: Step) -> bool:
    return step.kind not in ("failed", "touched", "settled")


def _embedded(chunks: Iterable[Chunk], contexts: Iterable[str]) -> Iterator[str]:
    for chunk, context in zip(chunks, contexts, strict=True):
        yield replace(chunk, context=context).embedded_text


def _runs(texts: Iterator[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch
