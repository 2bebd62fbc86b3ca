"""What every fusion promises."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kb.settings import QuerySettings
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


def merge(shares: Mapping[str, tuple[NDArray[np.int64], NDArray[np.float64]]]) -> Fused:
    """Sum per-leg shares, given as (rows, share of each row), into one ranking.

    Equal sums: the larger share of the last leg goes first, then the lower row. With reciprocal ranks
    they are common (second and first against first and second), and the lexical leg, which comes last,
    has the words to show for it.
    """
    rows = np.unique(np.concatenate([r for r, _ in shares.values()]))
    table = np.zeros((len(shares), len(rows)))
    for line, (found, share) in zip(table, shares.values(), strict=True):
        line[np.searchsorted(rows, found)] = share
    totals = table.sum(axis=0)
    order = np.lexsort((rows, -table[-1], -totals))
    ranking = Ranking(rows[order], totals[order])
    return Fused(ranking, {name: table[i][order] for i, name in enumerate(shares)})
