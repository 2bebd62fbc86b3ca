"""How sure a difference of means is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
CONFIDENCE = 0.95
_SEED = 20_070_523
_BLOCK = 1 << 20  # numbers drawn at a time


@dataclass(frozen=True, slots=True)
class Difference:
    """Of the means of two variants over the same questions, and the interval around it."""

    mean: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


def paired_bootstrap(
    a: Sequence[float],
    b: Sequence[float],
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Difference:
    """Mean of ``b - a`` with its percentile bootstrap interval (Efron and Tibshirani 1993, ch. 13).

    The n questions are drawn n times with replacement, `resamples` times; a question's two values
    stay together (Sakai 2006). The interval runs between the (1 - confidence) / 2 quantiles of the
    means. The generator's seed is fixed: same values, same interval.

    Args:
        a: a value a question, n >= 1.
        b: the other variant's, for the same questions.
        resamples: B, how many samples are drawn.
        confidence: the interval's, between 0 and 1.
    """
    differences = np.asarray(b, np.float64) - np.asarray(a, np.float64)
    draw = np.random.default_rng(_SEED)
    count = len(differences)
    rows = max(_BLOCK // count, 1)
    means = [
        differences[draw.integers(0, count, (min(rows, resamples - at), count))].mean(axis=1)
        for at in range(0, resamples, rows)
    ]
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.concatenate(means), (tail, 1 - tail))
    return Difference(float(differences.mean()), float(low), float(high))
