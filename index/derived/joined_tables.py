"""Two chunk tables as one, and two token tables."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain

import msgspec
import numpy as np
from numpy.typing import NDArray

from index.chunk_table import ChunkTable, DocumentEntry
from index.token_table import Codes, TokenTable
from kb.records import Chunk


class JoinedTable(ChunkTable):
    """The rows of one table and then those of another."""

    def __init__(self, first: ChunkTable, second: ChunkTable) -> None:
        self._first = first
        self._second = second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    def __getitem__(self, row: int) -> Chunk:
        """The chunk of a row."""
        table, own = self._at(row)
        return table[own]

    def raw(self, first: int, end: int) -> bytes:
        """See `ChunkTable.raw`."""
        count = len(self._first)
        before = self._first.raw(min(first, count), min(end, count))
        return before + self._second.raw(max(first - count, 0), max(end - count, 0))

    def said(self, row: int) -> tuple[str, tuple[str, ...]]:
        """See `ChunkTable.said`."""
        table, own = self._at(row)
        return table.said(own)

    def texts(self) -> Iterator[tuple[str, str]]:
        """See `ChunkTable.texts`."""
        return chain(self._first.texts(), self._second.texts())

    @cached_property
    def documents(self) -> list[DocumentEntry]:
        """Those of both; a derived chunk is a document of its own."""
        count = len(self._first)
        moved = (
            msgspec.structs.replace(entry, first=entry.first + count)
            for entry in self._second.documents
        )
        return [*self._first.documents, *moved]

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages of both, each once."""
        return tuple(dict.fromkeys((*self._first.languages, *self._second.languages)))

    def written_in(self, languages: Iterable[str]) -> NDArray[np.bool_]:
        """See `ChunkTable.written_in`."""
        wanted = tuple(languages)
        return np.concatenate([self._first.written_in(wanted), self._second.written_in(wanted)])

    def _at(self, row: int) -> tuple[ChunkTable, int]:
        count = len(self._first)
        return (self._first, row) if row < count else (self._second, row - count)


class JoinedTokens(TokenTable):
    """The rows of one table and then those of another."""

    def __init__(self, first: TokenTable, second: TokenTable) -> None:
        self._first = first
        self._second = second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    def take(self, rows: NDArray[np.int64]) -> tuple[Codes, NDArray[np.int64]]:
        """See `TokenTable.take`."""
        pieces = [next(self.each(row, row + 1)) for row in rows.tolist()]
        offsets = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
        empty = self._first.take(np.empty(0, np.int64))[0]
        return (np.concatenate(pieces) if pieces else empty), offsets

    def each(self, first: int, end: int) -> Iterator[Codes]:
        """See `TokenTable.each`."""
        count = len(self._first)
        yield from self._first.each(min(first, count), min(end, count))
        yield from self._second.each(max(first - count, 0), max(end - count, 0))
