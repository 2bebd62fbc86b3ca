"""The ingest side composed: read → chunk → context, each redone only where its key changed."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ingest.batches import batches
from ingest.chunk.base import Chunker
from ingest.chunk.code_size import code_size, is_code
from ingest.chunk.windows import joined, with_chunks
from ingest.contextualize.base import Contextualizer
from ingest.contextualize.wish import NOTHING_MORE, ContextReport, Wish
from ingest.keys import IndexKeys
from ingest.locate import to_chunks
from ingest.read_report import Progress
from kb.errors import Unavailable, UsageError
from kb.location import Location
from kb.models.embedder import Embedder, Tokenizer
from kb.models.llm.base import NO_LLM
from kb.records import Chunk, Document
from kb.registry import load
from kb.settings import Settings
from kb.store import FileRow, Store

if TYPE_CHECKING:
    from ingest.contextualize.llm import LlmContext

_NOT_LATIN = re.compile("[^\x00-\u024f\u2000-\u2bff]")
_SAMPLE = 20_000  # characters looked at
_UNFAMILIAR_SHARE = 0.3
Parts = Iterator[tuple[object, ...]]  # a stage's result for one document


@dataclass(slots=True)
class ChunkReport:
    """What one run of the chunk stage did."""

    cut: int = 0
    unfamiliar: dict[str, float] = field(default_factory=dict)  # path → share the model cannot read


def chunk_documents(
    store: Store, settings: Settings, embedder: Embedder, progress: Progress
) -> ChunkReport:
    """Cut the documents whose chunks are missing or out of date.

    Raises:
        UsageError: chunks of this size would not fit the embedder's window.
    """
    report = ChunkReport()

    def prepare() -> Callable[[FileRow], Parts]:
        cut = cutter(settings, embedder)

        def cut_one(row: FileRow) -> Parts:
            first = next(store.documents(row.parse_key))
            share = _unfamiliar_share(first.text, embedder.tokenizer)
            if share >= _UNFAMILIAR_SHARE:
                report.unfamiliar[row.path] = share
            return cut(store.documents(row.parse_key))

        return cut_one

    keys = index_keys(settings, embedder)
    wanted = [(row, keys.chunked(row.parse_key)) for row in store.files() if row.parse_key]
    report.cut = _run_stage(store, "chunks", "chunk_key", wanted, prepare, progress)
    return report


def cut_document(
    parts: Iterable[Document], settings: Settings, embedder: Embedder
) -> tuple[Chunk, ...]:
    """The chunks of a document in parts, without path, ids and contexts. Raises as `chunk_documents`."""
    return tuple(chain.from_iterable(cutter(settings, embedder)(parts)))


def check_window(settings: Settings, embedder: Embedder) -> None:
    """See that no chunk would be cut off by the embedder.

    Raises:
        UsageError: chunks of this size would not fit its window.
    """
    size, window = settings.chunk.size, embedder.max_tokens
    if size > window:
        raise UsageError(
            f"chunk.size = {size} is more than the {window} tokens that {embedder.name} reads: "
            f"set chunk.size to {window} or less, or choose another embedder"
        )


def check_provider(settings: Settings) -> None:
    """See that the LLM which is to write contexts is named, before any work.

    Raises:
        Unavailable: it is not.
    """
    provider: type[Contextualizer] = load("contextualizer", settings.context.provider)
    if provider.needs_llm and not (settings.llm.url and settings.llm.model):
        raise Unavailable(f'context.provider = "{settings.context.provider}": {NO_LLM}')


def cutter(
    settings: Settings, embedder: Embedder
) -> Callable[[Iterable[Document]], Iterator[tuple[Chunk, ...]]]:
    """Cuts a document given in parts, as `cut_document` does; gives the chunks of a window at a time."""
    check_window(settings, embedder)
    make = load("chunker", settings.chunk.strategy)

    def chunker_of(size: int) -> Chunker:
        sized = msgspec.structs.replace(settings.chunk, size=size)
        made: Chunker = make(
            sized, embedder.tokenizer, lambda texts: embedder.embed(texts, "passage")
        )
        return made

    prose = chunker_of(settings.chunk.size)
    code = chunker_of(code_size(settings.chunk, embedder))

    def cut(parts: Iterable[Document]) -> Iterator[tuple[Chunk, ...]]:
        for window in joined(parts):
            spans = (code if is_code(window.document) else prose).split(window.document)
            chunks = to_chunks(window.document, spans, embedder.tokenizer)
            yield tuple(window.restored(chunk) for chunk in chunks)

    return cut


def _unfamiliar_share(text: str, tokenizer: Tokenizer) -> float:
    """How much of the beginning the model has no tokens for; Latin text is not even counted."""
    beginning = text[:_SAMPLE]
    return tokenizer.unknown_share(beginning) if _NOT_LATIN.search(beginning) else 0.0


def contextualize_chunks(
    store: Store,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    wish: Wish = NOTHING_MORE,
    location: Location | None = None,
) -> ContextReport:
    """Write the contexts that are missing or out of date.

    An LLM's cache, ledger and prices are those at `location`, by default where the store lies.

    Raises:
        Unavailable: an LLM is to write them and none is set.
        UsageError: its address, key or price table does not hold.
    """
    keys = index_keys(settings, embedder)
    provider = contextualizer(settings, embedder)
    if provider.needs_llm:
        from ingest.contextualize.stage import ask_contexts

        place = location or Location(store.folder)
        asking = cast("LlmContext", provider)
        return ask_contexts(place, store, settings, keys, asking, wish, progress)

    def prepare() -> Callable[[FileRow], Parts]:
        return lambda row: situate(
            provider, store.documents(row.parse_key), store.chunks(row.chunk_key)
        )

    wanted = [(row, keys.situated(row.chunk_key)) for row in store.files() if row.chunk_key]
    return ContextReport(_run_stage(store, "contexts", "context_key", wanted, prepare, progress))


def situate(
    provider: Contextualizer, parts: Iterable[Document], chunks: Iterable[Chunk]
) -> Iterator[tuple[str, ...]]:
    """The contexts of a document's chunks, one a chunk, those of a window at a time."""
    for window, inside in with_chunks(joined(parts), chunks):
        yield tuple(provider.contexts(window.document, inside))


def contextualizer(settings: Settings, embedder: Embedder) -> Contextualizer:
    """The provider of the settings, whose prefix gives way where it and a chunk fill the window."""
    longest = code_size(settings.chunk, embedder)
    room = max(embedder.max_tokens - longest - 1, 0)  # 1 for the line between
    wanted = settings.context
    fitted = msgspec.structs.replace(
        wanted,
        max_tokens=min(wanted.max_tokens, room),
        llm_max_tokens=min(wanted.llm_max_tokens, room),
    )
    provider: Contextualizer = load("contextualizer", fitted.provider)(fitted, embedder.tokenizer)
    return provider


def index_keys(settings: Settings, embedder: Embedder) -> IndexKeys:
    """The keys that chunks and contexts of these settings have."""
    window, model = settings.embed.max_tokens, settings.llm.model
    return IndexKeys(settings.chunk, settings.context, embedder, window, model)


def _run_stage(
    store: Store,
    stage: str,
    column: str,
    wanted: list[tuple[FileRow, str]],
    prepare: Callable[[], Callable[[FileRow], Parts]],
    progress: Progress,
) -> int:
    """Make what no key stands for yet, in batches that are each committed."""
    stale = [(row, key) for row, key in wanted if getattr(row, column) != key]
    if not stale:
        return 0
    make = prepare()
    known = store.known(stage, (key for _, key in stale))
    made = 0
    for batch in batches(stale, lambda item: item[0].size):
        missing = {key: row for row, key in batch if key not in known}
        made += len(missing)
        known |= missing.keys()
        changes: list[dict[str, Any]] = [{column: key} for _, key in batch]
        rows = [replace(row, **change) for (row, _), change in zip(batch, changes, strict=True)]
        store.put(stage, ((key, make(row)) for key, row in missing.items()), rows)
        progress(stage, len(batch))
    return made
