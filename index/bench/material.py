"""What engines are measured on: vectors in a file, questions, and the tenth best score of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from index.chunk_table import ChunkTable
from index.engines.base import Floats
from index.engines.scoring import search_exact
from index.vectors import open_vectors, write_vectors
from ingest.chunk.sentences import sentence_starts
from kb.errors import UsageError
from kb.models.embedder import Embedder

K = 10
_SEED = 20_240_611
_BLOCK = 8_192
_SHORTEST, _LONGEST = 20, 300  # characters of a sentence that could be a question
_LARGEST = 50_000_000  # vectors that are made up


@dataclass(frozen=True, slots=True)
class Material:
    """Files of a folder that lives as long as the measuring."""

    vectors: Path  # float32 (n, d), as `index.vectors` writes it
    queries: Path  # float32 (q, d)
    floors: Path  # float32 (q,): each query's K-th best score
    rows: int
    dimension: int
    questions: int
    origin: str  # in words


def of_kb(generation: Path, embedder: Embedder, questions: int, folder: Path) -> Material:
    """A generation's own vectors; questions are sentences of its chunks, embedded as questions are.

    Raises:
        UsageError: it holds no chunks.
    """
    table = ChunkTable(generation / "chunks")
    if not len(table):
        raise UsageError("the knowledge base holds no chunks to measure: run 'tesela sync PATH'")
    queries = embedder.embed(sentences(table, questions), "query")
    return _material(
        generation / "vectors" / "vectors.npy", queries, folder, "sentences of its chunks"
    )


def made_up(n: int, dimension: int, questions: int, folder: Path) -> Material:
    """Vectors drawn around topics, as those of texts lie; evenly spread ones are like no text.

    One topic for some 30 rows, in at most 64 directions; a row is its topic and 0.7 of its own, and
    all share a direction. Questions are drawn as rows are.

    Raises:
        UsageError: n or dimension is out of bounds.
    """
    if not (1 <= n <= _LARGEST and 2 <= dimension <= 65_536):
        raise UsageError(
            f"--random {n},{dimension}: 1 to {_LARGEST:,} vectors of 2 to 65,536 numbers, e.g. 100000,384"
        )
    draw = np.random.default_rng(_SEED)
    width = min(64, dimension)
    basis = np.linalg.qr(draw.standard_normal((dimension, width)))[0].T
    topics = draw.standard_normal((max(n // 30, 1), width))

    def points(count: int) -> Floats:
        inside = topics[draw.integers(0, len(topics), count)]
        inside = inside + 0.7 * draw.standard_normal((count, width))
        outside = inside @ basis / np.sqrt(width) + 1.5 * basis[0]
        return np.asarray(outside / np.linalg.norm(outside, axis=1, keepdims=True), np.float32)

    queries = points(questions)
    blocks: Iterator[Floats] = (points(min(_BLOCK, n - at)) for at in range(0, n, _BLOCK))
    path = folder / "vectors.npy"
    write_vectors(path, blocks, n, dimension)
    return _material(path, queries, folder, "drawn as the vectors are")


def _material(path: Path, queries: Floats, folder: Path, origin: str) -> Material:
    vectors = open_vectors(path)
    k = min(K, len(vectors))
    floors = search_exact(vectors, queries, k, None)[1][:, -1]
    np.save(folder / "queries.npy", queries)
    np.save(folder / "floors.npy", floors)
    return Material(
        path,
        folder / "queries.npy",
        folder / "floors.npy",
        len(vectors),
        vectors.shape[1],
        len(queries),
        origin,
    )


def sentences(table: ChunkTable, count: int) -> list[str]:
    """A sentence each of so many chunks, drawn with a fixed seed, in the chunks' order."""
    draw = np.random.default_rng(_SEED)
    some = draw.permutation(len(table))[:count]
    return [_sentence(table[int(row)].text, draw) for row in sorted(some)]


def _sentence(text: str, draw: np.random.Generator) -> str:
    """A sentence of a chunk, long enough to ask for something where there is one."""
    starts = [*sentence_starts(text), len(text)]
    pieces = [text[a:b].strip()[:_LONGEST] for a, b in pairwise(starts)]
    fit = [piece for piece in pieces if len(piece) >= _SHORTEST] or [text.strip()[:_LONGEST]]
    return fit[int(draw.integers(0, len(fit)))]
