"""Opens the current generation; each component is read only when it is asked for."""

import contextlib
import os
import weakref
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from index.chunk_table import ChunkTable
from index.engines.base import Engine, Searchable
from index.lexical.reader import Bm25Index
from index.token_table import TokenTable
from index.vectors import open_vectors
from kb import generations, history
from kb.errors import BudgetReached, TeselaError, Unavailable, UsageError
from kb.generations import Manifest
from kb.holding import hold
from kb.location import Location
from kb.registry import load
from kb.settings import Bm25Settings, EngineSettings

_ATTEMPTS = 3


class GenerationReader:
    """One generation, kept for as long as the reader lives."""

    def __init__(self, folder: Path, bm25: Bm25Settings | None = None) -> None:
        self.folder = folder
        self._bm25 = bm25
        held = hold(folder / generations.MANIFEST)
        if held is not None:
            weakref.finalize(self, os.close, held)
        self.manifest: Manifest = generations.read_manifest(folder)
        self.warnings: list[str] = []

    @classmethod
    def open(
        cls, location: Location, bm25: Bm25Settings | None = None, generation: str | None = None
    ) -> Self:
        """A generation of a KB, kept from being removed for as long as the reader lives.

        Args:
            location: of the KB.
            bm25: may name another k1, b or IDF than it was built with.
            generation: an earlier one, as `kb.history.resolve` takes it; the current one by default.
                The rules for its terms are those it was built with.

        Raises:
            UsageError: nothing was ever indexed, or there is no such generation.
            TeselaError | Unavailable: as `kb.generations.read_manifest`.
        """
        if generation is not None:
            reader = cls(history.resolve(location, generation), bm25)
            reader._bm25 = _with_own_terms(bm25, reader.manifest)
            return reader
        for attempt in range(_ATTEMPTS):
            folder = generations.current_folder(location)
            if folder is None:
                raise UsageError(
                    f"the knowledge base in {location.folder} holds no index yet: "
                    "run 'tesela sync PATH'"
                )
            try:
                return cls(folder, bm25)
            except TeselaError:
                # Between reading CURRENT and opening it a writer may have moved on and pruned.
                if attempt == _ATTEMPTS - 1 or folder == generations.current_folder(location):
                    raise
        raise AssertionError

    def __len__(self) -> int:
        return self.manifest.chunks

    @contextlib.contextmanager
    def blaming_damage(self) -> Iterator[None]:
        """Where something goes wrong inside, look whether damaged files are the reason.

        Raises:
            TeselaError: they are; it names them. Any other error is raised as it is.
        """
        try:
            yield
        except (UsageError, Unavailable, BudgetReached):
            raise
        except Exception as error:
            damaged = generations.damaged_files(self.folder, self.manifest)
            if not damaged:
                raise
            raise TeselaError(
                f"generation {self.folder.name} is damaged ({', '.join(damaged)}): "
                "build it again with 'tesela index --rebuild'"
            ) from error

    @cached_property
    def chunks(self) -> ChunkTable:
        """Chunks by row."""
        return ChunkTable(self.folder / "chunks")

    @cached_property
    def vectors(self) -> NDArray[np.float32]:
        """All vectors, float32 (n, d), memory-mapped."""
        return open_vectors(self.folder / "vectors" / "vectors.npy")

    def vectors_of(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of some rows, float32 (len(rows), d)."""
        found: NDArray[np.float32] = self.vectors[rows]
        return found

    @cached_property
    def bm25(self) -> Bm25Index:
        """The lexical index."""
        return Bm25Index.open(self.folder / "bm25", self._bm25)

    @cached_property
    def tokens(self) -> TokenTable | None:
        """Token codes, or None where they are not kept."""
        if not self.manifest.token_vectors:
            return None
        return TokenTable(self.folder / "tokens", self.manifest.dimension // 8)

    @cached_property
    def engine(self) -> Searchable:
        """The engine; where its files are damaged, exact search stands in and `warnings` says so."""
        name = self.manifest.engine
        stored = self.manifest.settings.get("engine", {})
        settings = msgspec.convert(stored, EngineSettings)
        engine: Engine = load("engine", name)(settings)
        try:
            engine.load(self.folder / "engine", self.vectors)
        except (OSError, ValueError, RuntimeError) as error:
            self.warnings.append(
                f"engine {name!r} of generation {self.folder.name} cannot be loaded ({error}): "
                "searching exactly instead; 'tesela sync', 'tesela doctor --fix' or "
                "'tesela index --rebuild' mends it"
            )
            engine = load("engine", "exact")(settings)
            engine.build(self.vectors)
        return engine


def _with_own_terms(asked: Bm25Settings | None, manifest: Manifest) -> Bm25Settings | None:
    """The weights that are asked for, on the terms that the generation has."""
    built = msgspec.convert(manifest.settings.get("bm25", {}), Bm25Settings)
    return asked and msgspec.structs.replace(
        asked, stop_words=built.stop_words, stem=built.stem, fold_enye=built.fold_enye
    )
