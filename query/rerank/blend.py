"""What the reranker's verdict becomes: blended with the first stage, then set against the best candidate.

The first stage keeps a share, so that a reranker cannot throw away an exact match. Beside their own
worth, candidates gain by two opposite things. What is like the best one is likelier to answer (the cluster
hypothesis: van Rijsbergen 1979; Diaz, "Regularizing query-based retrieval scores", 2007). And what meets
the words of the question that the best one leaves unmet is likely its other half: a question that
compares two things or goes from one to the next is not answered by five passages on the first (coverage
as in xQuAD, Santos, Macdonald and Ounis, WWW 2010, over the question's tokens instead of sub-questions).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.settings import QuerySettings
from query.fuse.scaling import between_ends
from query.rerank.base import Coverage, Judged

Scores = NDArray[np.float64]
_AHEAD = 1e-9  # by which the best candidate stays ahead of what its complement lifts


@dataclass(frozen=True, slots=True)
class Blend:
    """Parts of the final score, each float64 (pool,); they sum to it."""

    raw: Scores  # the reranker's own score, not part of the sum
    rerank: Scores
    fused: Scores
    support: Scores
    complement: Scores
    late: Scores | None = None  # late interaction's, where another reranker looked again

    @property
    def total(self) -> Scores:
        """The final score."""
        total = self.rerank + self.fused + self.support + self.complement
        return total if self.late is None else total + self.late

    @property
    def order(self) -> NDArray[np.int64]:
        """Places in the pool, the best first; equal scores stay in the pool's order, the fused one."""
        total = self.total
        return np.lexsort((np.arange(len(total)), -total)).astype(np.int64)


def blend(
    judged: Judged, fused: Scores, vectors: NDArray[np.float32], settings: QuerySettings
) -> Blend:
    """Reranker's and fused scores by their weights, each scaled to [0, 1], + support + complement.

    Args:
        judged: the reranker's verdict on the pool; where a score is NaN, the first stage's stands for it.
        fused: the first stage's scores of the pool.
        vectors: unit vectors of the pool, (pool, d).
        settings: `rerank_weight` (the fused score has the rest), `support` and `complement`.
    """
    weight, first_scaled = settings.rerank_weight, between_ends(fused)
    scaled = first_scaled.copy()
    known = ~np.isnan(judged.scores)
    scaled[known] = between_ends(judged.scores[known])
    rerank, first = weight * scaled, (1 - weight) * first_scaled
    support = settings.support * _likeness(rerank + first, vectors)
    complement = np.zeros_like(support)
    if judged.coverage is not None and len(support) > 1:
        complement = _complement(rerank + first + support, judged.coverage, settings.complement)
    return Blend(judged.scores, rerank, first, support, complement)


def _likeness(scores: Scores, vectors: NDArray[np.float32]) -> Scores:
    """Cosine, over the pool's own centre, to the best candidate."""
    if not scores.any():
        return np.zeros_like(scores)
    centred = vectors - vectors.mean(axis=0)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    centred = centred / np.maximum(norms, 1e-9)
    return np.asarray(centred @ centred[int(np.argmax(scores))], np.float64)


def _complement(scores: Scores, coverage: Coverage, weight: float) -> Scores:
    """Σ over the question's parts of their weight · (what the candidate meets and the best does not)².

    A part's matches are scaled between the pool's ends. Squared, because many small differences are
    noise and one large one is a word that the best lacks. Nothing passes the best one: it gets what the
    highest other needs to stay second.
    """
    best = int(np.argmax(scores))
    low = coverage.matches.min(axis=1, keepdims=True)
    spread = coverage.matches.max(axis=1, keepdims=True) - low
    met = (coverage.matches - low) / np.maximum(spread, 1e-6)
    beyond = np.maximum(met - met[:, [best]], 0.0)
    gains: Scores = weight * (coverage.weights @ beyond**2).astype(np.float64)
    highest_other = float(np.delete(scores + gains, best).max())
    gains[best] = max(highest_other - float(scores[best]) + _AHEAD, 0.0) if weight else 0.0
    return gains
