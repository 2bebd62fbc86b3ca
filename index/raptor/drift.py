"""How far a tree has come from what a fresh one would be: a proxy that needs no fresh one.

A leaf is astray when the centre of some cluster that it is no member of is nearer to it than the
centres of all of its own, or when it is the only one left at home in its cluster, which a fresh tree
never has. Some are astray in a fresh tree, too, whose clusters are told apart along a few axes; drift is
the share beyond that.

To count the leaves that a fresh tree would place elsewhere would tell nothing: on 600 passages, one
fewer already gives clusters that agree by half (adjusted Rand index .54) and are as good.
"""

from collections.abc import Mapping

import numpy as np

from index.raptor.division import Arrivals
from index.raptor.project import Rows, Vectors

_SAMPLE = 2000  # members that are looked at, evenly taken
_BLOCK = 1024  # clusters compared at a time
_NEARER = 1e-4  # in cosine: less tells nothing


def astray(clusters: Mapping[int, Arrivals], vectors: Vectors) -> float:
    """The share of members that are astray, 0 to 1; of at most 2,000 of them.

    Args:
        clusters: of one layer; each has a member at home.
        vectors: of the members, by row, unit rows.
    """
    if len(clusters) < 2:
        return 0.0
    members = list(clusters.values())
    rows = np.unique(np.concatenate([cluster.rows for cluster in members]))
    chosen = np.unique(np.linspace(0, len(rows) - 1, min(_SAMPLE, len(rows))).astype(np.int64))
    points = vectors[rows[chosen]]
    own = np.full(len(chosen), -np.inf, np.float32)
    best = own.copy()
    alone = np.zeros(len(chosen), np.bool_)
    for first in range(0, len(members), _BLOCK):
        some = members[first : first + _BLOCK]
        centres = np.stack([_centre(vectors, cluster.rows[cluster.home]) for cluster in some])
        near = points @ centres.T
        best = np.maximum(best, near.max(axis=1))
        for column, cluster in enumerate(some):
            inside = np.flatnonzero(np.isin(rows[chosen], cluster.rows))
            own[inside] = np.maximum(own[inside], near[inside, column])
            if cluster.home.sum() == 1:
                alone |= rows[chosen] == cluster.rows[cluster.home]
    return float((alone | (best > own + _NEARER)).mean())


def drift(parts: list[tuple[int, float, float]]) -> float:
    """Drift of a forest, 0 to 1.

    Args:
        parts: of each tree: its leaves, the share astray now, and when it was divided.
    """
    leaves = sum(count for count, _, _ in parts)
    if not leaves:
        return 0.0
    return sum(count * max(0.0, now - then) for count, now, then in parts) / leaves


def _centre(vectors: Vectors, rows: Rows) -> Vectors:
    mean = vectors[rows].mean(axis=0, dtype=np.float64)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, np.float32)
