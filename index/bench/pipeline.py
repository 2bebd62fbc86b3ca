"""All stages on a KB's sources, each timed, in a knowledge base of its own."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from index import plan
from index.assemble import assemble
from index.bench.clock import Clock
from index.builder import Builder, token_embedder
from index.chunk_table import About, ChunkTable
from index.files import about_file, indexed_files
from index.vector_cache import VectorCache
from ingest.pipeline import chunk_documents, contextualize_chunks
from ingest.prepare import prepare
from ingest.read import carry_out
from ingest.read_report import Progress
from ingest.survey import Request
from kb import generations
from kb.errors import UsageError
from kb.location import Location
from kb.models.embedder import Embedder
from kb.records import Chunk
from kb.settings import Settings
from kb.store import SourceRow, Store

_SEED = 20_240_611


@dataclass(slots=True)
class Timed:
    """What was done, and how long each stage of it took."""

    seconds: dict[str, float]
    files: int
    failed: dict[str, str]  # path → reason
    documents: int
    chunks: int
    tokens: int  # of the chunks' texts, as the embedder counts
    read_bytes: int
    sampled_of: int  # files that the knowledge base has
    notes: list[str] = field(default_factory=list)


def measured_settings(settings: Settings) -> tuple[Settings, list[str]]:
    """The settings without what would cost money, and what was left out."""
    notes = []
    if settings.context.provider == "llm":
        settings = replace(settings, context=replace(settings.context, provider="structural"))
        notes.append("contexts are the structural ones: no LLM is asked")
    if settings.parse.multimodal == "native":
        settings = replace(settings, parse=replace(settings.parse, multimodal="extract"))
        notes.append("pictures are not described: no LLM is asked")
    return settings, notes


def time_stages(
    of: Location,
    at: Location,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    most: int,
) -> Timed:
    """Read, cut, situate, embed and index a sample of a KB's files into a new KB.

    What is derived from chunks (trees, graphs, cards) is not made.

    Args:
        of: the KB whose files are read; it is only looked at.
        at: an empty one, which is filled.
        settings: of the KB.
        embedder: of the settings.
        progress: told of what is done.
        most: how many files, spread over all; 0: all.

    Raises:
        UsageError: nothing was ever read.
    """
    settings, notes = measured_settings(settings)
    sources, paths, known = _files(of, at, most)
    clock = Clock()
    at.folder.mkdir(parents=True, exist_ok=True)
    with Store(at) as store:
        for source in sources:
            store.put_source(source)
        with clock.stage("scan"):
            prepared = prepare(at, store, settings, Request(tuple(paths)))
        with clock.stage("read"):
            report = carry_out(prepared.plan, store, settings, progress)
        with clock.stage("load model"):
            embedder.preload()
            embedder.tokenizer.count("")
        with clock.stage("chunk"):
            chunk_documents(store, settings, embedder, progress)
        with clock.stage("contextualize"):
            contextualize_chunks(store, settings, embedder, progress)
        table = _index(at, store, settings, embedder, progress, clock)
        files = [row for row in store.files() if row.parse_key]
    return Timed(
        clock.seconds,
        len(prepared.plan.steps),
        report.failed,
        len(table.documents),
        len(table),
        sum(chunk.tokens for chunk in table),
        sum(row.size for row in files),
        known,
        notes,
    )


def _files(of: Location, at: Location, most: int) -> tuple[list[SourceRow], list[Path], int]:
    """Sources as the new KB writes them, the sampled files, and how many there are."""
    with Store.looking(of) as store:
        rows = [row for row in store.files() if row.parse_key]
        sources = store.sources()
    if not rows:
        raise UsageError("the knowledge base holds no documents yet: run 'tesela sync PATH'")
    taken = range(len(rows))
    if 0 < most < len(rows):
        drawn = np.random.default_rng(_SEED).permutation(len(rows))[:most]
        taken = sorted(drawn.tolist())  # type: ignore[assignment]
    moved = [
        SourceRow(at.written(of.absolute(row.root)), row.include, row.exclude, row.tags)
        for row in sources
    ]
    there = [path for i in taken if (path := of.absolute(rows[i].path)).exists()]
    return moved, there, len(rows)


def _index(
    at: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    clock: Clock,
) -> ChunkTable:
    files = indexed_files(store)
    by_path = {file.path: file for file in files}
    tokens = token_embedder(settings, embedder) is not None
    keys = plan.component_keys(files, settings, embedder.fingerprint, tokens)
    builder = _TimedBuilder(at, settings, embedder, progress, keys)
    builder.clock = clock
    builder.start()
    with clock.stage("publish"):
        builder.build(lambda: assemble(store, files), lambda path: about_file(store, by_path[path]))
        generations.publish(at, builder.folder, builder.manifest(1))
    return ChunkTable(generations.folder_of(at, 1) / "chunks")


class _TimedBuilder(Builder):
    """A builder whose steps are told apart on a clock."""

    clock: Clock

    def _chunks(self, folder: Path, chunks: Iterator[Chunk], about: Callable[[str], About]) -> None:
        with self.clock.stage("write chunks"):
            super()._chunks(folder, chunks, about)

    def _embed(self, cache: VectorCache, component: str, progress: Progress) -> None:
        with self.clock.stage("embed"):
            super()._embed(cache, component, progress)

    def _vectors(self, folder: Path) -> None:
        with self.clock.stage("write vectors"):
            super()._vectors(folder)

    def _engine(self, folder: Path) -> None:
        with self.clock.stage("engine"):
            super()._engine(folder)

    def _bm25(self, folder: Path) -> None:
        with self.clock.stage("bm25"):
            super()._bm25(folder)

    def _token_codes(self, folder: Path) -> None:
        with self.clock.stage("token codes"):
            super()._token_codes(folder)
