"""What the reranker's scores become: blended with the first stage, then supported by their like.

The first stage keeps a share, so that a reranker cannot throw away an exact match. Support follows the
cluster hypothesis (van Rijsbergen 1979; Diaz, "Regularizing query-based retrieval scores", 2007): what is
like the best candidates is likelier to answer.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from query.fuse.scaling import between_ends

Scores = NDArray[np.float64]
_BEST = 3


@dataclass(frozen=True, slots=True)
class Blend:
    """Parts of the final score, each float64 (pool,); they sum to it."""

    raw: Scores  # the reranker's own score, not part of the sum
    rerank: Scores
    fused: Scores
    support: Scores

    @property
    def total(self) -> Scores:
        """The final score."""
        return self.rerank + self.fused + self.support


def blend(
    raw: Scores, fused: Scores, vectors: NDArray[np.float32], weight: float, support: float
) -> Blend:
    """Weight · rerank + (1 - weight) · fused, both scaled to [0, 1], + support · likeness.

    Args:
        raw: the reranker's scores of the pool.
        fused: the first stage's scores of the pool.
        vectors: unit vectors of the pool, (pool, d).
        weight: the reranker's share.
        support: weight of the likeness to the three best.
    """
    rerank, first = weight * between_ends(raw), (1 - weight) * between_ends(fused)
    return Blend(raw, rerank, first, support * _likeness(rerank + first, vectors))


def _likeness(scores: Scores, vectors: NDArray[np.float32]) -> Scores:
    """Mean cosine, over the pool's own centre, to the three best, weighted by their scores."""
    best = np.argsort(-scores, kind="stable")[:_BEST]
    total = scores[best].sum()
    if not total:
        return np.zeros_like(scores)
    centred = vectors - vectors.mean(axis=0)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    centred = centred / np.maximum(norms, 1e-9)
    likeness = centred @ centred[best].T.astype(np.float64)
    return np.asarray(likeness @ (scores[best] / total), np.float64)
