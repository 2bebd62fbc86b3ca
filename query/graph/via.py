"""By which entity a chunk is reached, and from which of the best hits; for explanations."""

from collections.abc import Sequence

from index.graph.links import Links, Side


def via(links: Links, seeds: Sequence[int], row: int) -> tuple[int, int] | None:
    """The seed and the node over which most walkers come straight to a leaf.

    None where they come in more than one step, or from no hit: then there is no one way to name.
    """
    best, most = None, 0.0
    for seed in seeds:
        for node, share in _ways(links.from_leaf, seed):
            arriving = share * dict(_ways(links.from_entity, node)).get(row, 0.0)
            if seed != row and arriving > most:
                best, most = (seed, node), arriving
    return best


def _ways(side: Side, place: int) -> list[tuple[int, float]]:
    bounds = slice(int(side.ptr[place]), int(side.ptr[place + 1]))
    return list(zip(side.to[bounds].tolist(), side.share[bounds].tolist(), strict=True))
