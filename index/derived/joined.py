"""Leaves and derived chunks as one generation, so that legs, fusion and rerank run over both alike.

Rows 0 to n - 1 are the leaves, the derived chunks follow. What words tell is counted in the leaves
alone (`JoinedBm25`), so that a leaf scores the same whether there are derived chunks or not.
"""

from collections.abc import Collection
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from index.derived.joined_bm25 import JoinedBm25
from index.derived.joined_engine import JoinedEngine
from index.derived.joined_tables import JoinedTable, JoinedTokens
from index.derived.reader import DerivedReader, has_derived
from index.engines.base import Searchable
from index.lexical.reader import Bm25Index
from index.reader import GenerationReader
from index.token_table import TokenTable

Mask = NDArray[np.bool_]
Floats = NDArray[np.float32]


class JoinedReader(GenerationReader):
    """One view of both."""

    def __init__(self, leaves: GenerationReader) -> None:
        """Join the generation that `leaves` reads with its derived chunks; see `has_derived`."""
        self.leaves = leaves
        self.derived = DerivedReader(leaves)
        self.folder = leaves.folder
        self.manifest = leaves.manifest
        self.warnings = leaves.warnings

    def __len__(self) -> int:
        return len(self.leaves) + len(self.derived)

    @cached_property
    def chunks(self) -> JoinedTable:
        """Chunks by row."""
        return JoinedTable(self.leaves.chunks, self.derived.chunks)

    @cached_property
    def vectors(self) -> Floats:
        """All vectors, float32 (n + m, d), in memory: ask `vectors_of` for some."""
        return np.concatenate([self.leaves.vectors, self.derived.vectors])

    def vectors_of(self, rows: NDArray[np.int64]) -> Floats:
        """See `GenerationReader.vectors_of`."""
        count = len(self.leaves)
        found = np.empty((len(rows), self.manifest.dimension), np.float32)
        leaf = rows < count
        found[leaf] = self.leaves.vectors[rows[leaf]]
        found[~leaf] = self.derived.vectors[rows[~leaf] - count]
        return found

    @cached_property
    def bm25(self) -> Bm25Index:
        """The lexical index of both."""
        return JoinedBm25(self.leaves.bm25, self.derived.bm25)

    @cached_property
    def tokens(self) -> TokenTable | None:
        """Token codes of both."""
        leaves, derived = self.leaves.tokens, self.derived.tokens
        return None if leaves is None or derived is None else JoinedTokens(leaves, derived)

    @cached_property
    def engine(self) -> Searchable:
        """The leaves' engine, and every derived vector compared."""
        return JoinedEngine(self.leaves.engine, len(self.leaves), self.derived.engine)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of derived chunks there are, sorted."""
        return tuple(sorted(set(self._derived_kinds.tolist())))

    def mask(self, live: Mask | None, kinds: Collection[str]) -> Mask:
        """Which rows may answer, bool (n + m,).

        Args:
            live: which leaves a filter lets through, bool (n,); None for all. A derived chunk is let
                through where all the leaves are that it has words of.
            kinds: of the chunks that may answer.
        """
        count = len(self.leaves)
        whole = np.ones(count, np.bool_) if live is None else live
        leaves = whole if "text" in kinds else np.zeros(count, np.bool_)
        return np.concatenate([leaves, self._derived_mask(live, set(kinds) - {"text"})])

    def _derived_mask(self, live: Mask | None, kinds: Collection[str]) -> Mask:
        if not kinds:  # most questions: nothing derived is looked at
            return np.zeros(len(self.derived), np.bool_)
        mask = np.isin(self._derived_kinds, sorted(kinds))
        return mask if live is None else mask & self.derived.standing.let_through(live)

    @cached_property
    def _derived_kinds(self) -> NDArray[np.str_]:
        return np.asarray(list(self.derived.chunks.kinds()), np.str_)


def joined(reader: GenerationReader) -> GenerationReader:
    """The generation with its derived chunks; as it is where it has none."""
    if isinstance(reader, JoinedReader) or not has_derived(reader):
        return reader
    return JoinedReader(reader)


def leaves_of(reader: GenerationReader) -> GenerationReader:
    """The generation without its derived chunks."""
    return reader.leaves if isinstance(reader, JoinedReader) else reader
