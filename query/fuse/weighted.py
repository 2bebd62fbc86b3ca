"""Weighted sum of scores, each leg's scaled to [0, 1] by its own minimum and maximum."""

from collections.abc import Mapping

from kb.settings import QuerySettings
from query.fuse.base import Fused, merge
from query.fuse.scaling import between_ends
from query.ranking import Ranking


class WeightedSum:
    """score(row) = Σ w · (s - min) / (max - min).

    w is ``query.alpha`` for the dense leg; the other legs share 1 - alpha.
    A leg's worst row gets 0, as a row it did not find does; where all its scores are equal they get 1.
    """

    def __init__(self, settings: QuerySettings) -> None:
        self._alpha = settings.alpha

    def fuse(self, legs: Mapping[str, Ranking]) -> Fused:
        """See `query.fuse.base.Fusion`."""
        others = sum(name != "dense" for name in legs)
        weights = {
            name: self._alpha if name == "dense" else (1.0 - self._alpha) / others for name in legs
        }
        return merge(
            legs, {name: weights[name] * between_ends(leg.scores) for name, leg in legs.items()}
        )
