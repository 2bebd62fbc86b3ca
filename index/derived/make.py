"""Runs the derivations of a generation in the making, and indexes what they made."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.chunk_table import ChunkTable, write_chunks
from index.derived.base import Made, Making
from index.derived.files import Standing, made_chunks, write_made
from index.embed import ensure_vectors
from index.lexical.build import build_bm25
from index.token_table import write_tokens
from index.vector_cache import VectorCache
from index.vectors import write_vectors
from ingest.read_report import Progress
from kb.digest import sha256_file
from kb.models.embedder import Embedder, TokenEmbedder
from kb.registry import load
from kb.settings import Bm25Settings

Floats = NDArray[np.float32]
_BLOCK = 1024  # vectors read at a time


class Embedding:
    """Embeds derived texts through the cache, and counts those that it lacked."""

    def __init__(
        self,
        cache: Callable[[], VectorCache],
        embedder: Embedder,
        tokens: TokenEmbedder | None,
        progress: Progress,
    ) -> None:
        self.embedded = 0
        self._cache = cache
        self._embedder = embedder
        self._tokens = tokens
        self._progress = progress

    def indexed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of texts that will be chunks, float32 (m, d)."""
        return self._vectors(texts, self._tokens)

    def only(self, texts: Sequence[str]) -> Floats:
        """Unit vectors of other texts, float32 (m, d)."""
        return self._vectors(texts, None)

    def _vectors(self, texts: Sequence[str], tokens: TokenEmbedder | None) -> Floats:
        with self._cache() as cache:
            self.embedded += ensure_vectors(cache, self._embedder, tokens, texts, self._progress)
            return cache.vectors(texts)


def derive(name: str, making: Making, folder: Path) -> tuple[Made, str]:
    """Make one component.

    Returns:
        What came of it, and a digest of its chunks.
    """
    made: Made = load("derivation", name).make(making, folder)
    return made, sha256_file(write_made(folder, made))


def write_derived(
    folder: Path,
    components: Sequence[Path],
    cache: VectorCache,
    embedding: Embedding,
    bm25: Bm25Settings,
    *,
    dimension: int,
    with_tokens: bool,
) -> ChunkTable:
    """Index the chunks of derived components in `folder`; returns their table."""
    for name in ("chunks", "vectors", "bm25"):
        (folder / name).mkdir()
    chunks = (chunk for path in components for chunk in made_chunks(path))
    count, _ = write_chunks(folder / "chunks", chunks)
    table = ChunkTable(folder / "chunks")
    Standing.joined([Standing.load(path) for path in components]).save(folder)
    blocks = (embedding.indexed(texts) for texts in _blocks(table))
    write_vectors(folder / "vectors" / "vectors.npy", blocks, count, dimension)
    build_bm25(folder / "bm25", table.texts(), bm25, before=None)
    if with_tokens:
        (folder / "tokens").mkdir()
        write_tokens(folder / "tokens", (cache.codes(text) for text, _ in table.texts()))
    return table


def _blocks(table: ChunkTable) -> Iterator[list[str]]:
    for first in range(0, len(table), _BLOCK):
        rows = range(first, min(first + _BLOCK, len(table)))
        yield [table[row].embedded_text for row in rows]
