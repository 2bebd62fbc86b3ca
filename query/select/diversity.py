"""Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from query.fuse.scaling import between_ends

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Diverse:
    """Candidates in the order they were picked, and the parts of each one's score; they sum to it."""

    picked: list[int]
    before: list[float]  # the candidate's own score, not part of the sum
    score: list[float]
    likeness: list[float]  # never above 0

    def parts(self, number: int) -> dict[str, float]:
        """Those of the n-th pick, from 0."""
        return {
            "score_before": self.before[number],
            "score_share": self.score[number],
            "likeness_share": self.likeness[number],
        }


def diversify(
    scores: Scores, vectors: NDArray[np.float32], diversity: float, count: int
) -> Diverse:
    """Pick, `count` times, the candidate with the highest (1 - X) · score - X · likeness.

    Scores are scaled between the candidates' ends. Likeness is the highest cosine to what was picked
    before (none: 0), scaled so that 0 is the cosine of the candidate least like the best one and 1 that of
    equal vectors: plain cosines of one model are all nearly as high, and would weigh nothing. Each
    pick's value is at most the one before. Equal values go by place.

    Args:
        scores: of the candidates, best first, float64 (n,).
        vectors: their unit vectors, (n, d).
        diversity: X, 0 (order by score) to 1 (order by unlikeness alone, after the best).
        count: how many to pick.
    """
    own = (1 - diversity) * between_ends(scores)
    penalty = np.zeros(len(scores))
    free = np.ones(len(scores), np.bool_)
    found = Diverse([], [], [], [])
    floor = 1.0
    for number in range(min(count, len(scores))):
        best = int(np.argmax(np.where(free, own - penalty, -np.inf)))
        free[best] = False
        found.picked.append(best)
        found.before.append(float(scores[best]))
        found.score.append(float(own[best]))
        found.likeness.append(0.0 - float(penalty[best]))
        cosines = (vectors @ vectors[best]).astype(np.float64)
        if number == 0:
            floor = float(cosines.min())
        penalty = np.maximum(penalty, diversity * _scaled(cosines, floor))
    return found


def _scaled(cosines: Scores, floor: float) -> Scores:
    if floor > 1 - 1e-6:
        return np.ones_like(cosines)
    return np.clip((cosines - floor) / (1 - floor), 0.0, 1.0)
