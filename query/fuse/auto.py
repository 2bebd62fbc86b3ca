"""A weighted sum whose weights follow the question.

A convex combination of scaled scores beats reciprocal ranks where its weight is right (Bruch, Gai and
Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023). Which weight is right is told
by the lexical leg itself: the share of the question's information (sum of its words' IDF) that the best
chunk holds. A Spanish question over English documents shares hardly a word with them, and the lexical
leg, which cannot know the answer, is given little to say.
"""

from collections.abc import Mapping

from kb.settings import QuerySettings
from query.fuse.base import Fused, merge
from query.fuse.scaling import between_ends, of_highest
from query.ranking import Ranking

# Chosen on eight collections together, the same for all; .1 either way changes the mean by .002.
DENSE_AT_NO_COVERAGE = 0.7
DENSE_AT_FULL_COVERAGE = 0.3
FULL_COVERAGE = 0.6  # a best chunk that holds this share of the question is as good as they come


class AutoFusion:
    """score(row) = α · dense scaled between its ends + (1 - α) · sparse as a share of its best.

    α falls from .7 to .3 as the coverage, best sparse score / `Ranking.ceiling`, rises from 0 to .6.
    """

    def __init__(self, settings: QuerySettings) -> None:
        pass

    def fuse(self, legs: Mapping[str, Ranking]) -> Fused:
        """See `query.fuse.base.Fusion`."""
        dense, sparse = legs["dense"], legs["sparse"]
        alpha = dense_share(coverage(sparse))
        return merge(
            legs,
            {
                "dense": alpha * between_ends(dense.scores),
                "sparse": (1.0 - alpha) * of_highest(sparse.scores),
            },
        )


def coverage(sparse: Ranking) -> float:
    """Share of what the question says that the best lexical hit holds, 0 to 1."""
    if len(sparse) == 0 or not sparse.ceiling:
        return 0.0
    return float(sparse.scores[0]) / sparse.ceiling


def dense_share(covered: float) -> float:
    """α for a coverage."""
    known = min(covered / FULL_COVERAGE, 1.0)
    return DENSE_AT_NO_COVERAGE + known * (DENSE_AT_FULL_COVERAGE - DENSE_AT_NO_COVERAGE)
