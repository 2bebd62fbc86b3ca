"""Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from collections.abc import Mapping

import numpy as np

from kb.settings import QuerySettings
from query.fuse.base import Fused, merge
from query.ranking import Ranking


class ReciprocalRankFusion:
    """score(row) = Σ over the legs that found it of 1 / (k + rank), ranks from 1; k = ``query.rrf_k``."""

    def __init__(self, settings: QuerySettings) -> None:
        self._k = settings.rrf_k

    def fuse(self, legs: Mapping[str, Ranking]) -> Fused:
        """See `query.fuse.base.Fusion`."""
        return merge(
            legs,
            {
                name: 1.0 / (self._k + 1.0 + np.arange(len(leg), dtype=np.float64))
                for name, leg in legs.items()
            },
        )
