"""What every fusion promises."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kb.settings import QuerySettings
from query.ranking import Ranking


class Fusion(Protocol):
    """Merges the legs' rankings."""

    def __init__(self, settings: QuerySettings) -> None: ...

    def fuse(self, legs: Mapping[str, Ranking]) -> tuple[Ranking, dict[str, NDArray[np.float64]]]:
        """The fused ranking and, for each leg, its share of each fused row's score.

        Shares are aligned with the fused ranking and sum to its scores. A row absent from a leg gets
        nothing from it. Ties are broken by the lower row.
        """
        ...
