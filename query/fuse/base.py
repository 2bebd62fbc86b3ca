"""What every fusion promises."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kb.settings import QuerySettings
from query.fuse.scaling import between_ends
from query.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Fused:
    """A fused ranking and each leg's share of it: float64 arrays aligned with the ranking's rows.

    Shares sum to the scores; a row that a leg did not find has share 0 of it.
    """

    ranking: Ranking
    shares: Mapping[str, NDArray[np.float64]]


class Fusion(Protocol):
    """Merges the legs' rankings; equal scores always come in the same order."""

    def __init__(self, settings: QuerySettings) -> None: ...

    def fuse(self, legs: Mapping[str, Ranking]) -> Fused:
        """One ranking of every row that any leg found."""
        ...


def merge(legs: Mapping[str, Ranking], shares: Mapping[str, NDArray[np.float64]]) -> Fused:
    """Sum each leg's shares, aligned with its rows, into one ranking.

    Equal sums are told apart by the legs' own scores, each leg's scaled between its ends, and then by
    the lower row. With reciprocal ranks they are common (first and second against second and first).
    """
    rows = np.unique(np.concatenate([leg.rows for leg in legs.values()]))
    table, scaled = np.zeros((len(legs), len(rows))), np.zeros(len(rows))
    for line, (name, leg) in zip(table, legs.items(), strict=True):
        places = np.searchsorted(rows, leg.rows)
        line[places] = shares[name]
        scaled[places] += between_ends(leg.scores)
    totals = table.sum(axis=0)
    order = np.lexsort((rows, -scaled, -totals))
    ranking = Ranking(rows[order], totals[order])
    return Fused(ranking, {name: table[i][order] for i, name in enumerate(legs)})
