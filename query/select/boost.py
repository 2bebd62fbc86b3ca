"""Tag weights: documents whose tags count more move up."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from query.fuse.scaling import between_ends
from query.ranking import Ranking

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Boost:
    """Parts of the boosted scores, float64 (r,), aligned with the boosted ranking; they sum to it."""

    before: Scores  # the score that was scaled, not part of the sum
    score: Scores
    tag: Scores

    def parts(self, place: int) -> dict[str, float]:
        """Those of one candidate."""
        return {
            "score_before": float(self.before[place]),
            "score_share": float(self.score[place]),
            "tag_share": float(self.tag[place]),
        }


def weight_of(tags: Iterable[str], weights: Mapping[str, float]) -> float:
    """The highest weight of a document's tags, 0 without one; both sides as `fold` writes them."""
    return max((weights.get(tag, 0.0) for tag in tags), default=0.0)


def boost(ranking: Ranking, weights: Scores, share: float) -> tuple[Ranking, Boost]:
    """New score = (1 - share) · scaled score + share · tag weight; 0.68 and 0.32 by default.

    Args:
        ranking: all candidates; scores are scaled between its ends, the best 1 and the last 0.
        weights: of the candidates' tags, float64 (r,), 0 to 1.
        share: what the tags have to say, ``query.tag_share``.

    Returns:
        The candidates in their new order, equal scores in the old one, and the parts.
    """
    scaled = (1 - share) * between_ends(ranking.scores)
    tag = share * weights
    total = scaled + tag
    order = np.lexsort((np.arange(len(total)), -total))
    parts = Boost(ranking.scores[order], scaled[order], tag[order])
    return Ranking(ranking.rows[order], total[order]), parts
