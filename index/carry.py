"""What a new generation takes over from the one before, chunk by chunk.

A chunk whose embedded text and language stood in the generation before has the same vector, token
codes and terms there: they are copied, not made.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index import plan
from index.chunk_table import ChunkTable
from index.lexical.build import can_take_over
from index.lexical.merge import Part
from index.token_table import TokenTable
from index.vectors import open_vectors
from kb import generations
from kb.generations import Manifest
from kb.settings import Settings

Rows = NDArray[np.int64]
_KEY = np.dtype([("high", ">u8"), ("low", ">u8")])


@dataclass(frozen=True, slots=True)
class Run:
    """New rows ``first`` to ``end - 1``; they stand at ``old`` on in the generation before, -1: nowhere."""

    first: int
    end: int
    old: int


@dataclass(frozen=True, slots=True)
class Carried:
    """Where each chunk stood before."""

    folder: Path
    components: frozenset[str]  # of "vectors", "tokens", "bm25": whole, and made by the same rules
    source: Rows  # (n,): row in the generation before, -1 for a chunk that is new
    before: int  # rows of the generation before

    def runs(self, component: str, longest: int) -> Iterator[Run]:
        """Runs of at most `longest` rows that cover all; where a component is not whole, all new."""
        old = self.source if component in self.components else np.full_like(self.source, -1)
        together = (np.diff(old) == 1) & (old[1:] > 0) | (old[1:] < 0) & (old[:-1] < 0)
        bounds = np.concatenate([[0], np.flatnonzero(~together) + 1, [len(old)]])
        for start, stop in zip(bounds.tolist(), bounds[1:].tolist(), strict=False):
            for first in range(start, stop, longest):
                yield Run(first, min(first + longest, stop), int(old[first]))

    def vectors(self) -> NDArray[np.float32]:
        """The vectors before, float32 (before, d); (0, 0) where they are not whole."""
        if "vectors" not in self.components:
            return np.empty((0, 0), np.float32)
        return open_vectors(self.folder / "vectors" / "vectors.npy")

    def tokens(self, width: int) -> TokenTable | None:
        """The token codes before; None where they are not whole."""
        if "tokens" not in self.components:
            return None
        return TokenTable(self.folder / "tokens", width)

    def lexical(self) -> Part | None:
        """The BM25 index before and where its rows are now; None where it cannot be used."""
        if "bm25" not in self.components:
            return None
        target = np.full(self.before, -1, np.int64)
        known = np.flatnonzero(self.source >= 0)
        target[self.source[known]] = known
        return Part(self.folder / "bm25", target)


def nothing(count: int) -> Carried:
    """For a generation of `count` chunks with none before it."""
    return Carried(Path(), frozenset(), np.full(count, -1, np.int64), 0)


def carry(
    folder: Path,
    before: Manifest,
    settings: Settings,
    fingerprint: str,
    keys: dict[str, str],
    table: ChunkTable,
) -> Carried:
    """What the generation in `folder` has for the chunks of `table`.

    Args:
        folder: of the generation before.
        before: its manifest.
        settings: of the new generation.
        fingerprint: of its embedder.
        keys: of its components; only those that must be built are looked at.
        table: its chunks.
    """
    same = plan.component_keys_of(
        before.components["chunks"], settings, fingerprint, before.token_vectors
    )
    usable = {
        name
        for name in ("vectors", "tokens", "bm25")
        if name in keys
        and name in before.components
        and keys[name] != before.components[name]
        and same.get(name) == before.components[name]
    }
    damaged = generations.damaged_files(folder, before, {*usable, "chunks"})
    broken = {name.split("/")[0] for name in damaged}
    if "chunks" in broken or not can_take_over(folder / "bm25", settings.bm25):
        usable.discard("bm25")
    if "chunks" in broken or not usable - broken:
        return nothing(len(table))
    old = ChunkTable(folder / "chunks")
    return Carried(folder, frozenset(usable - broken), _match(old, table), len(old))


def _match(old: ChunkTable, new: ChunkTable) -> Rows:
    """For each new row an old row of the same text and language, each used once; -1 where none is left."""
    was, now = _row_keys(old), _row_keys(new)
    # Equal texts are paired in order: the i-th of the new with the i-th of the old.
    order_was, order_now = np.argsort(was, kind="stable"), np.argsort(now, kind="stable")
    was_sorted, now_sorted = was[order_was], now[order_now]
    left = np.searchsorted(was_sorted, now_sorted, side="left")
    nth = np.arange(len(now_sorted)) - np.searchsorted(now_sorted, now_sorted, side="left")
    at = left + nth
    found = at < np.searchsorted(was_sorted, now_sorted, side="right")
    source = np.full(len(new), -1, np.int64)
    source[order_now[found]] = order_was[at[found]]
    return source


def _row_keys(table: ChunkTable) -> NDArray[np.void]:
    """16 bytes a row, of embedded text and language."""
    raw = bytearray()
    for text, language in table.texts():
        one = f"{language}\n{text}".encode("utf-8", "surrogatepass")
        raw += blake2b(one, digest_size=16).digest()
    return np.frombuffer(bytes(raw), _KEY)
