"""Makes the components of a generation: chunks, vectors, engine, BM25, token codes."""

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from index import plan
from index.carry import Carried, Run, carry, nothing
from index.chunk_table import About, ChunkTable, write_chunks
from index.embed import ensure_vectors
from index.engines.base import Engine
from index.lexical.build import build_bm25
from index.token_table import write_tokens
from index.vector_cache import VectorCache
from index.vectors import open_vectors, write_vectors
from ingest.read_report import Progress
from kb import generations
from kb.generations import Manifest
from kb.location import Location
from kb.models.embedder import Embedder, TokenEmbedder
from kb.models.load import supports_tokens
from kb.records import Chunk
from kb.registry import load
from kb.settings import Settings

_BLOCK = 1024  # vectors written at a time


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
    ) -> None:
        self.folder = Path()
        self.embedded = 0
        self.note = ""
        self.reused: set[str] = set()
        self.mended: list[str] = []
        self.keys: dict[str, str] = {}
        self.before: tuple[Path, Manifest] | None = None
        self._location = location
        self._settings = settings
        self._embedder = embedder
        self._tokens = token_embedder(settings, embedder)
        self._progress = progress

    @cached_property
    def table(self) -> ChunkTable:
        """The chunks of the generation in the making."""
        return ChunkTable(self.folder / "chunks")

    def take_over(self, current: Path, before: Manifest, keys: dict[str, str]) -> None:
        """Choose the components of the current generation that are what is wanted, and whole."""
        self.reused = plan.reusable(keys, before.components)
        damaged = generations.damaged_files(current, before, self.reused)
        self.reused -= {name.split("/")[0] for name in damaged}
        self.keys, self.before = keys, (current, before)
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
        components: list[str],
    ) -> None:
        """Make components, in order."""
        for name in components:
            folder = self.folder / name
            folder.mkdir()
            if name == "chunks":
                write_chunks(folder, chunks(), about)
                continue
            {
                "vectors": self._vectors,
                "engine": self._engine,
                "bm25": self._bm25,
                "tokens": self._token_codes,
            }[name](folder)

    def manifest(self, number: int, keys: dict[str, str]) -> Manifest:
        """The manifest of what was built."""
        engine: type[Engine] = load("engine", self._settings.engine.name)
        table = self.table
        return Manifest(
            number=number,
            components=keys,
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

    def _vectors(self, folder: Path) -> None:
        with self._cache() as cache:
            self._embed(cache, "vectors", self._progress)
            blocks = self._vector_blocks(cache)
            write_vectors(folder / "vectors.npy", blocks, len(self.table), self._embedder.dimension)
            if self.embedded:
                cache.collect(self._texts())

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
