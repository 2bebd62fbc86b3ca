"""Random walks over leaves and entities, with restart: personalised PageRank (Jeh and Widom, WWW 2003).

Only the part of the network that the walk reaches is looked at: where less than `_LEAST` would go on, it
ends (as in Andersen, Chung and Lang, FOCS 2006), so a question costs the same on a large graph.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.graph.links import Links, Side

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
GO_ON = 0.25  # the chance that a walk goes on from a leaf to the next
_STEPS = 4  # from leaf to leaf; what is further off counts less than 1 in 250
_LEAST = 1e-4


@dataclass(frozen=True, slots=True)
class Mass:
    """Where walkers are: places, rising, and which share of all is at each."""

    places: Ints
    shares: Floats

    @classmethod
    def of(cls, places: Ints, shares: Floats) -> "Mass":
        """Added up by place."""
        unique, at = np.unique(places, return_inverse=True)
        added = np.bincount(at.reshape(-1), shares, len(unique))
        return cls(unique, np.asarray(added, np.float64))

    def within(self, live: Mask | None) -> "Mass":
        """What is at places that `live` lets through."""
        if live is None:
            return self
        kept = live[self.places]
        return Mass(self.places[kept], self.shares[kept])

    def and_of(self, other: "Mass") -> "Mass":
        """Both together."""
        return Mass.of(
            np.concatenate([self.places, other.places]), np.concatenate([self.shares, other.shares])
        )


NOWHERE = Mass(np.empty(0, np.int64), np.empty(0))


def reach(links: Links, leaves: Mass, entities: Mass = NOWHERE, live: Mask | None = None) -> Mass:
    """Σ over t ≥ 1 of GO_ON^(t-1) · the share of walkers that are at each leaf after t steps.

    Args:
        links: the network.
        leaves: where walks begin; the shares of these and of `entities` sum to 1 at most.
        entities: where others begin, half a step ahead.
        live: leaves that may be stepped on, bool (n,); None for all.
    """
    found, at = NOWHERE, leaves
    for step in range(_STEPS):
        between = _step(links.from_leaf, at)
        if step == 0:
            between = between.and_of(entities)
        at = _step(links.from_entity, between).within(live)
        found = found.and_of(Mass(at.places, GO_ON**step * at.shares))
    return found


def _step(side: Side, at: Mass) -> Mass:
    sizes = side.ptr[at.places + 1] - side.ptr[at.places]
    going = (sizes > 0) & (
        at.shares >= _LEAST * sizes
    )  # the walkers at a hub are lost in the crowd
    places, shares, sizes = at.places[going], at.shares[going], sizes[going]
    first = np.repeat(side.ptr[places] - np.cumsum(sizes) + sizes, sizes)
    cells = first + np.arange(int(sizes.sum()))
    return Mass.of(side.to[cells].astype(np.int64), np.repeat(shares, sizes) * side.share[cells])
