"""Makes the components of a generation: chunks, vectors, engine, BM25, token codes."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from index import plan
from index.carry import Carried, Run, carry, nothing
from index.chunk_table import About, ChunkTable, write_chunks
from index.derived.base import Making
from index.derived.files import DERIVED
from index.derived.keys import unanswered, with_derived
from index.derived.make import Embedding, derive, write_derived
from index.derived.report import DerivedReport
from index.embed import ensure_vectors
from index.engines.base import Engine
from index.lexical.build import build_bm25
from index.token_table import write_tokens
from index.vector_cache import VectorCache
from index.vectors import open_vectors, write_vectors
from ingest.contextualize.wish import NOTHING_MORE, Wish
from ingest.read_report import Progress
from kb import generations
from kb.generations import Manifest
from kb.location import Location
from kb.models.embedder import Embedder, TokenEmbedder
from kb.models.load import supports_tokens
from kb.records import Chunk
from kb.registry import load
from kb.settings import Settings
from kb.store import Store

_BLOCK = 1024  # vectors written at a time


@dataclass(frozen=True, slots=True)
class Deriving:
    """What derivations are given, and which of the components are theirs, in order."""

    store: Store
    wish: Wish = NOTHING_MORE
    names: tuple[str, ...] = ()


def token_embedder(settings: Settings, embedder: Embedder) -> TokenEmbedder | None:
    """The embedder, where it gives token vectors and the settings keep them."""
    return embedder if settings.token_vectors.store and supports_tokens(embedder) else None


class Builder:
    """Makes the components of one generation, or links those of the generation before."""

    def __init__(
        self,
        location: Location,
        settings: Settings,
        embedder: Embedder,
        progress: Progress,
        keys: dict[str, str],
        deriving: Deriving | None = None,
    ) -> None:
        self.folder = Path()
        self.embedded = 0
        self.note = ""
        self.reused: set[str] = set()
        self.mended: list[str] = []
        self.keys = keys
        self.derived = DerivedReport()
        self.before: tuple[Path, Manifest] | None = None
        self._location = location
        self._settings = settings
        self._embedder = embedder
        self._tokens = token_embedder(settings, embedder)
        self._progress = progress
        self._deriving = deriving
        self._embedding = Embedding(self._cache, embedder, self._tokens, progress)

    @cached_property
    def table(self) -> ChunkTable:
        """The chunks of the generation in the making."""
        return ChunkTable(self.folder / "chunks")

    def take_over(self, current: Path, before: Manifest) -> None:
        """Choose the components of the current generation that are what is wanted, and whole."""
        self.reused = plan.reusable(self.keys, before.components)
        damaged = generations.damaged_files(current, before, self.reused)
        self.reused -= {name.split("/")[0] for name in damaged}
        if not self.reused.issuperset(self._derivations):
            self.reused.discard(DERIVED)
        self.before = (current, before)
        if damaged:
            self.mended = [
                f"{', '.join(damaged)} was damaged in generation {before.number}: mended"
            ]
        if "engine" in self.reused:
            self.note = before.engine_note

    def start(self) -> None:
        """Open the folder to build in, with what was taken over."""
        self.folder = generations.start(self._location)
        if self.before is not None:
            for name in sorted(self.reused):
                shutil.copytree(self.before[0] / name, self.folder / name, copy_function=_link)

    def build(
        self,
        chunks: Callable[[], Iterator[Chunk]],
        about: Callable[[str], About],
    ) -> None:
        """Make the components that are not taken over, in order."""
        makers: dict[str, Callable[[Path], None]] = {
            "chunks": lambda folder: self._chunks(folder, chunks(), about),
            "vectors": self._vectors,
            "engine": self._engine,
            "bm25": self._bm25,
            "tokens": self._token_codes,
            DERIVED: self._index_derived,
        }
        for name in [name for name in self.keys if name not in self.reused]:
            folder = self.folder / name
            folder.mkdir()
            if name in makers:
                makers[name](folder)
            else:
                self._derive(name, folder)
        self._let_go()

    def manifest(self, number: int) -> Manifest:
        """The manifest of what was built."""
        engine: type[Engine] = load("engine", self._settings.engine.name)
        table = self.table
        return Manifest(
            number=number,
            components=self.keys,
            documents=len(table.documents),
            chunks=len(table),
            embedder=self._embedder.name,
            fingerprint=self._embedder.fingerprint,
            dimension=self._embedder.dimension,
            engine=self._settings.engine.name,
            engine_version=engine.version,
            engine_note=self.note,
            token_vectors=self._tokens is not None,
            settings=msgspec.to_builtins(self._settings),
            files=generations.entries(self.folder),
        )

    @property
    def all_embedded(self) -> int:
        """Texts that were embedded: chunks, and what was derived from them."""
        return self.embedded + self._embedding.embedded

    @property
    def _derivations(self) -> tuple[str, ...]:
        return self._deriving.names if self._deriving else ()

    @cached_property
    def _carried(self) -> Carried:
        """What the generation before has for the chunks of this one."""
        if self.before is None:
            return nothing(len(self.table))
        return carry(
            *self.before, self._settings, self._embedder.fingerprint, self.keys, self.table
        )

    def _texts(self) -> Iterator[str]:
        return (text for text, _ in self.table.texts())

    def _cache(self) -> VectorCache:
        return VectorCache(
            self._location.vector_cache, self._embedder.fingerprint, self._embedder.dimension
        )

    def _embed(self, cache: VectorCache, component: str, progress: Progress) -> None:
        """Embed the texts that neither the generation before nor the cache has."""
        runs = self._carried.runs(component, len(self.table) or 1)
        texts = (text for run in runs if run.old < 0 for text in self._texts_of(run))
        self.embedded += ensure_vectors(cache, self._embedder, self._tokens, texts, progress)

    def _texts_of(self, run: Run) -> Iterator[str]:
        return (self.table[row].embedded_text for row in range(run.first, run.end))

    def _chunks(self, folder: Path, chunks: Iterator[Chunk], about: Callable[[str], About]) -> None:
        write_chunks(folder, chunks, about)

    def _vectors(self, folder: Path) -> None:
        with self._cache() as cache:
            self._embed(cache, "vectors", self._progress)
            blocks = self._vector_blocks(cache)
            write_vectors(folder / "vectors.npy", blocks, len(self.table), self._embedder.dimension)

    def _vector_blocks(self, cache: VectorCache) -> Iterator[NDArray[np.float32]]:
        old = self._carried.vectors()
        for run in self._carried.runs("vectors", _BLOCK):
            if run.old < 0:
                yield cache.vectors(list(self._texts_of(run)))
            else:
                yield old[run.old : run.old + run.end - run.first]

    def _token_codes(self, folder: Path) -> None:
        with self._cache() as cache:
            self._embed(cache, "tokens", _quiet)
            write_tokens(folder, self._codes(cache))

    def _codes(self, cache: VectorCache) -> Iterator[NDArray[np.uint8]]:
        old = self._carried.tokens(self._embedder.dimension // 8)
        for run in self._carried.runs("tokens", _BLOCK):
            if old is None or run.old < 0:
                yield from map(cache.codes, self._texts_of(run))
            else:
                yield from old.each(run.old, run.old + run.end - run.first)

    def _engine(self, folder: Path) -> None:
        engine = load("engine", self._settings.engine.name)(self._settings.engine)
        vectors: NDArray[np.float32] = open_vectors(self.folder / "vectors" / "vectors.npy")
        engine.build(vectors)
        engine.save(folder)
        self.note = engine.note

    def _derive(self, name: str, folder: Path) -> None:
        """Make one derived component; its key tells where an LLM has not answered in full."""
        assert self._deriving is not None
        made, contents = derive(name, self._making(name, self._deriving), folder)
        self.derived.add(name, made)
        self.keys[name] = unanswered(
            self.keys[name], contents, pending=made.pending > 0, failed=bool(made.failed)
        )
        derived = {name: self.keys[name] for name in self._derivations}
        self.keys = with_derived(self.keys, derived, self._settings)

    def _making(self, name: str, deriving: Deriving) -> Making:
        before = self._whole_before(name)
        return Making(
            location=self._location,
            store=deriving.store,
            settings=self._settings,
            embedder=self._embedder,
            progress=self._progress,
            wish=deriving.wish.of(name),
            table=self.table,
            vectors=open_vectors(self.folder / "vectors" / "vectors.npy"),
            before=before,
            table_before=None if before is None else ChunkTable(before.parent / "chunks"),
            embed=self._embedding.indexed,
            embed_only=self._embedding.only,
        )

    def _whole_before(self, name: str) -> Path | None:
        """A component's folder in the generation before, where it and its leaves are whole."""
        if self.before is None or name not in self.before[1].components:
            return None
        folder, manifest = self.before
        if generations.damaged_files(folder, manifest, {name, "chunks"}):
            return None
        return folder / name

    def _index_derived(self, folder: Path) -> None:
        with self._cache() as cache:
            write_derived(
                folder,
                [self.folder / name for name in self._derivations],
                cache,
                self._embedding,
                self._settings.bm25,
                dimension=self._embedder.dimension,
                with_tokens=self._tokens is not None,
            )

    def _let_go(self) -> None:
        """Have the cache drop what nothing needs any more, if there is much of it."""
        if not self.all_embedded or not self._location.owns_caches:
            return
        texts: Iterator[str] = self._texts()
        if DERIVED in self.keys:
            derived = ChunkTable(self.folder / DERIVED / "chunks")
            texts = chain(texts, (text for text, _ in derived.texts()))
        with self._cache() as cache:
            cache.collect(texts)

    def _bm25(self, folder: Path) -> None:
        before = self._carried.lexical()
        build_bm25(folder, self.table.texts(), self._settings.bm25, before=before)


def _link(source: str, target: str) -> None:
    """Components never change, so a second name for the file is as good as a copy."""
    try:
        os.link(source, target)
    except OSError:  # file systems without links
        shutil.copy2(source, target)


def _quiet(_stage: str, _done: int) -> None:
    pass
