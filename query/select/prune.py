"""Few and good: hits under a threshold go, three to five stay."""

import numpy as np
from numpy.typing import NDArray

LEAST, MOST = 3, 5


def prune(values: NDArray[np.float64], threshold: float) -> list[int]:
    """Places of the candidates that stay, at most five when the caller takes the first `MOST`.

    Those at or above the threshold stay; where they are fewer than three, the best-ranked of the
    others join them, as many as it takes.

    Args:
        values: of the candidates in ranked order, float64 (n,), 0 to 1; NaN is under any threshold.
        threshold: 0 to 1.
    """
    passing = values >= threshold
    missing = LEAST - int(passing.sum())
    if missing > 0:
        passing[np.flatnonzero(~passing)[:missing]] = True
    return [int(place) for place in np.flatnonzero(passing)]
