"""Leaves with topics, and a summariser that needs no model, for tests of trees."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from index.raptor.leaves import Leaves, look_over
from index.raptor.members import Member, Summary
from kb.records import Chunk, Quote

DIMENSION = 32


def chunk(name: str, path: str = "a.md", start: int = 0, tokens: int = 100) -> Chunk:
    """A leaf whose text begins with its name."""
    text = f"{name} speaks. And more."
    return Chunk(
        f"id-{path}-{name}", path, path, start, start + len(text), text,
        lines=(1 + start, 2 + start), language="en", tokens=tokens,
    )  # fmt: skip


class ByFirst:
    """Quotes the first three words of each member; embeds by the mean of members."""

    name = "first"
    version = "1"

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.embedded: list[str] = []
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def summarize(self, clusters: Sequence[Sequence[Member]]) -> list[Summary]:
        self.asked.append(len(clusters))
        return [self._one(cluster) for cluster in clusters]

    def _one(self, cluster: Sequence[Member]) -> Summary:
        text, quotes = "", []
        for member in cluster:
            words = member.text.split(". ")[0] + ". "
            if member.chunk is not None:
                quotes.append(_quote(len(text), words.rstrip(), member.chunk, member.text))
            else:
                first = member.quotes[0]
                start = len(text)
                quotes.append(
                    Quote(start, start + first.end - first.start, first.leaf, first.source_start,
                          first.source_end, first.path, first.lines, first.pages)
                )  # fmt: skip
            text += words
        mean = np.mean([member.vector for member in cluster], axis=0)
        self._vectors[text.rstrip()] = np.asarray(mean / np.linalg.norm(mean), np.float32)
        return Summary(text.rstrip(), tuple(quotes))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += texts
        return np.stack([self._vectors[text] for text in texts])


def _quote(at: int, words: str, leaf: Chunk, text: str) -> Quote:
    start = leaf.start + text.index(words)
    return Quote(
        at, at + len(words), leaf.id, start, start + len(words), leaf.path, leaf.lines, leaf.pages
    )


def count(text: str) -> int:
    """Tokens, roughly."""
    return len(text) // 4


def topics(n: int, k: int, seed: int = 0) -> NDArray[np.float32]:
    """Unit rows around `k` directions, float32 (n, DIMENSION); row i is of topic i % k."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, DIMENSION))
    points = centres[np.arange(n) % k] + 0.35 * rng.normal(size=(n, DIMENSION))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True), np.float32)


def leaves(chunks: Sequence[Chunk], vectors: NDArray[np.float32], scope: str = "corpus") -> Leaves:
    """Leaves of chunks that are all in memory."""
    return look_over(chunks, chunks.__getitem__, vectors, scope)
