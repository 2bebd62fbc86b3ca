"""Bringing scores of different kinds to one scale."""

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def between_ends(scores: Scores) -> Scores:
    """Linear to [0, 1], the lowest score 0 and the highest 1; all 1 where they are equal."""
    if len(scores) == 0:
        return scores
    low, high = scores.min(), scores.max()
    return np.ones_like(scores) if high == low else (scores - low) / (high - low)


def of_highest(scores: Scores) -> Scores:
    """As shares of the highest score, for scores whose zero means "nothing in common"."""
    return scores / scores.max() if scores.any() else scores
