"""The index of a generation's derived chunks: a small generation inside it."""

from functools import cached_property

import msgspec

from index.derived.files import DERIVED, Standing
from index.engines.base import Searchable
from index.engines.exact import ExactEngine
from index.reader import GenerationReader
from kb.settings import EngineSettings


class DerivedReader(GenerationReader):
    """Derived chunks by row, with their vectors, words and tokens; few enough to be compared one by one."""

    def __init__(self, leaves: GenerationReader) -> None:
        """Open those of the generation that `leaves` reads; see `has_derived`."""
        self.folder = leaves.folder / DERIVED
        self.warnings = []
        self._bm25 = leaves._bm25
        self._leaves = leaves  # keeps the generation from being removed
        count = len(self.chunks)
        self.manifest = msgspec.structs.replace(leaves.manifest, chunks=count, engine="exact")

    @cached_property
    def standing(self) -> Standing:
        """Which leaf rows each row stands on."""
        return Standing.load(self.folder)

    @cached_property
    def engine(self) -> Searchable:
        """Exact search."""
        engine = ExactEngine(EngineSettings())
        engine.build(self.vectors)
        return engine


def has_derived(reader: GenerationReader) -> bool:
    """Whether a generation holds derived chunks."""
    return DERIVED in reader.manifest.components
