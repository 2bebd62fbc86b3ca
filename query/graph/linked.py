"""What the graph adds to a ranking: chunks that the best hits lead to by the entities they name.

A question of two steps ("Where was the director of X born?") has its first half in a hit and its second in
a chunk that shares few words with the question, but an entity with that hit (HippoRAG, Gutiérrez et al.,
NeurIPS 2024, walks so from the question's entities; here the hits are where walks begin, and no model has
to read the question).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from query.fuse.scaling import between_ends
from query.graph.walk import Mass
from query.ranking import Ranking

Scores = NDArray[np.float64]
SEEDS = 5  # hits that walks begin at
_SHARP = 5.0  # at a hit at the foot of the pool e⁵ times fewer begin than at the best
_CERTAIN = 0.16  # of the walkers arriving: more say nothing more
_AHEAD = 1e-9  # by which the best hit stays ahead


@dataclass(frozen=True, slots=True)
class Linked:
    """Parts of the new scores, float64 (r,), aligned with the new ranking; `score` and `link` sum to it."""

    rows: NDArray[np.int64]
    before: Scores  # not part of the sum
    score: Scores
    link: Scores

    def parts(self, row: int) -> dict[str, float]:
        """Those of one candidate."""
        place = int(np.flatnonzero(self.rows == row)[0])
        return {
            "score_before": float(self.before[place]),
            "score_share": float(self.score[place]),
            "link_share": float(self.link[place]),
        }


def starts(ranking: Ranking, pool: int, leaves: int, share: float) -> Mass:
    """Walks that begin at the best hits, at each by how near its score is to the best one's.

    Args:
        ranking: the hits.
        pool: how many of them were looked at closely.
        leaves: rows from here on are no leaves.
        share: of all walks.
    """
    near = between_ends(ranking.scores[:pool])
    kept = np.flatnonzero(ranking.rows[:pool] < leaves)[:SEEDS]
    weights = np.exp(_SHARP * (near[kept] - 1.0))
    return Mass.of(ranking.rows[kept], share * weights / max(float(weights.sum()), 1e-12))


def linked(ranking: Ranking, pool: int, reached: Mass, weight: float) -> tuple[Ranking, Linked]:
    """New score = score + weight · (best score - that of the pool's last) · min(reach / .16, 1).

    Args:
        ranking: all candidates, what is reached among them. What is reached from behind the pool begins
            at its foot. Nothing passes the best one.
        pool: how many of them were looked at closely.
        reached: leaves, and how many walkers arrive there.
        weight: ``query.links``.
    """
    best, foot = float(ranking.scores[0]), float(ranking.scores[:pool].min())
    arriving = np.zeros(len(ranking))
    order = np.argsort(ranking.rows)
    arriving[order[np.searchsorted(ranking.rows[order], reached.places)]] = reached.shares
    link = weight * (best - foot) * np.minimum(arriving / _CERTAIN, 1.0)
    score = np.where(link > 0, np.maximum(ranking.scores, foot), ranking.scores)
    link[0] = max(float((score + link)[1:].max(initial=best)) - best + _AHEAD, 0.0)
    total = score + link
    new = np.lexsort((np.arange(len(total)), -total))
    parts = Linked(ranking.rows[new], ranking.scores[new], score[new], link[new])
    return Ranking(ranking.rows[new], total[new]), parts
