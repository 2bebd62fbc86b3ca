"""How near names are by their embeddings, on a scale that does not depend on the embedder."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from index.graph.resolve.heads import parts, tail

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
# All in standard deviations above the mean of all pairs of the document's names
_NAMES = 3.0  # two whole names
_HEADS = 2.5  # and their heads
_WORTH_A_LOOK = 0.5  # two whole names, of which nothing else is looked at below that
_BEFORE = 1.5  # and what stands before them, where one does not hold the other's
_BOTH = 5.0  # two names with one head and what is said of them, added up


class Nearness:
    """Of the names of one document.

    Args:
        embed: texts to unit vectors, float32 (m, d).
        names: each with its descriptions.
    """

    def __init__(self, embed: Embed, names: Sequence[tuple[str, Mapping[str, int]]]) -> None:
        self._keys = [name for name, _ in names]
        self._names = _scores(embed(self._keys))
        self._said = _scores(embed([" ".join(sorted(said)) or name for name, said in names]))
        self._words = _Words(embed, self._keys)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs, by their places, that `of` may have something to say about."""
        for one in range(len(self._keys) - 1):
            for other in np.flatnonzero(self._names[one, one + 1 :] > _WORTH_A_LOOK).tolist():
                yield one, one + 1 + other

    def of(self, one: int, other: int) -> float:
        """Above 0 where two names, by their places, may well mean one thing; the higher the surer."""
        a, b = self._keys[one], self._keys[other]
        (before, head), (ahead, other_head) = parts(a), parts(b)
        score = float(self._names[one, other])
        if not before or not ahead:
            return 0.0
        held = set(before) <= set(ahead) or set(ahead) <= set(before)
        if head == other_head:
            both = score + float(self._said[one, other])
            return both if both > _BOTH and not held else 0.0
        if score < _NAMES:
            return 0.0
        if a.startswith(f"{b} ") or b.startswith(f"{a} ") or tail(a) or tail(b):
            return 0.0
        near = self._words.near(head, other_head) > _HEADS and (
            held or self._words.near(" ".join(before), " ".join(ahead)) > _BEFORE
        )
        return score if near else 0.0


class _Words:
    def __init__(self, embed: Embed, keys: Sequence[str]) -> None:
        split = [parts(key) for key in keys]
        words = sorted({head for _, head in split} | {" ".join(b) for b, _ in split if b})
        self._place = {word: place for place, word in enumerate(words)}
        self._scores = _scores(embed(words))

    def near(self, one: str, other: str) -> float:
        if not one or not other:
            return 0.0
        return float(self._scores[self._place[one], self._place[other]])


def _scores(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosines of all pairs, float32 (n, n), in standard deviations from their mean."""
    cosines = vectors @ vectors.T
    pairs = cosines[np.triu_indices(len(vectors), 1)]
    deviation = float(pairs.std()) if len(pairs) else 0.0
    scores: NDArray[np.float32] = ((cosines - pairs.mean()) / (deviation or 1.0)).astype(np.float32)
    return scores
