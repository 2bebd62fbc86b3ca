"""The ingest side composed: read → chunk → context, each redone only where its key changed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ingest import keys
from ingest.batches import batches
from ingest.chunk.base import Chunker
from ingest.locate import to_chunks
from ingest.read import Progress
from kb.models.embedder import Embedder
from kb.records import Chunk, Document
from kb.registry import load
from kb.settings import Settings
from kb.store import FileRow, Store


def chunk_documents(
    store: Store, settings: Settings, embedder: Embedder, progress: Progress
) -> int:
    """Cut the documents whose chunks are missing or out of date; returns how many were cut."""
    chunk = settings.chunk

    def key(row: FileRow) -> str:
        return keys.chunk_key(row.parse_key, chunk, embedder.tokenizer, embedder.fingerprint)

    cut_one = _cutter(settings, embedder)

    def cut(row: FileRow) -> object:
        return cut_one(store.document(row.parse_key))

    wanted = [(row, key(row)) for row in store.files() if row.parse_key]
    return _run_stage(store, "chunks", "chunk_key", wanted, cut, progress)


def cut_document(document: Document, settings: Settings, embedder: Embedder) -> tuple[Chunk, ...]:
    """The chunks of one document, without path, ids and contexts."""
    return _cutter(settings, embedder)(document)


def _cutter(settings: Settings, embedder: Embedder) -> Callable[[Document], tuple[Chunk, ...]]:
    chunker: Chunker = load("chunker", settings.chunk.strategy)(
        settings.chunk, embedder.tokenizer, lambda texts: embedder.embed(texts, "passage")
    )
    return lambda document: to_chunks(document, chunker.split(document), embedder.tokenizer)


def contextualize_chunks(
    store: Store, settings: Settings, embedder: Embedder, progress: Progress
) -> int:
    """Write the contexts that are missing or out of date; returns for how many documents."""
    context = settings.context
    provider = load("contextualizer", context.provider)(context, embedder.tokenizer)

    def situate(row: FileRow) -> object:
        document = store.document(row.parse_key)
        return tuple(provider.contexts(document, store.chunks(row.chunk_key)))

    wanted = [
        (row, keys.context_key(row.chunk_key, context)) for row in store.files() if row.chunk_key
    ]
    return _run_stage(store, "contexts", "context_key", wanted, situate, progress)


def _run_stage(
    store: Store,
    stage: str,
    column: str,
    wanted: list[tuple[FileRow, str]],
    make: Callable[[FileRow], object],
    progress: Progress,
) -> int:
    """Make what no key stands for yet, in batches that are each committed."""
    stale = [(row, key) for row, key in wanted if getattr(row, column) != key]
    if not stale:
        return 0
    known = store.known(stage, (key for _, key in stale))
    made = 0
    for batch in batches(stale, lambda item: item[0].size):
        results: dict[str, object] = {}
        for row, key in batch:
            if key not in known and key not in results:
                results[key] = make(row)
        made += len(results)
        known |= results.keys()
        changes: list[dict[str, Any]] = [{column: key} for _, key in batch]
        rows = [replace(row, **change) for (row, _), change in zip(batch, changes, strict=True)]
        store.put(stage, results.items(), rows)
        progress(stage, len(batch))
    return made
