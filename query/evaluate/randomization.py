"""Whether a difference between two rankings could be luck."""

from collections.abc import Sequence

import numpy as np

DRAWS = 10_000
_SEED = 20_071_106
_BLOCK = 1 << 20  # signs drawn at a time


def paired_test(a: Sequence[float], b: Sequence[float], draws: int = DRAWS) -> float:
    """Two-sided p of the paired randomization test (Smucker, Allan and Carterette 2007).

    If nothing differed, either value of a question could come from either ranking: the sign of each
    question's difference is drawn anew `draws` times. p = (1 + draws whose mean difference is at least
    as large as the one seen) / (1 + draws). The generator's seed is fixed.

    Args:
        a: a value a question.
        b: the other ranking's, for the same questions.
        draws: how often.
    """
    differences = np.asarray(b, np.float64) - np.asarray(a, np.float64)
    differences = differences[differences != 0]
    count = len(differences)
    if count == 0:
        return 1.0
    seen = abs(differences.sum()) * (1 - 1e-12)  # sums of the same numbers in another order
    draw = np.random.default_rng(_SEED)
    rows = max(_BLOCK // count, 1)
    as_large = 0
    for at in range(0, draws, rows):
        signs = draw.integers(0, 2, (min(rows, draws - at), count)) * 2.0 - 1.0
        as_large += int((np.abs(signs @ differences) >= seen).sum())
    return (1 + as_large) / (1 + draws)
