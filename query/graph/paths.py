"""How two entities hang together: the shortest chain of relations between them."""

from collections.abc import Sequence
from dataclasses import dataclass

from query.graph.seen import SeenGraph


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a path, from place to place in the graph."""

    source: int
    edge: int
    target: int


def path(
    seen: SeenGraph, starts: Sequence[int], ends: Sequence[int], most: int
) -> list[Hop] | None:
    """The path of fewest hops from any start to any end; of these the one with the heaviest edges.

    Args:
        seen: the graph.
        starts: nodes; a name may be that of several.
        ends: nodes.
        most: hops.

    Returns:
        The hops; none where a start is an end; None where no path is that short.
    """
    goals = set(ends)
    if not goals.isdisjoint(starts):
        return []
    behind: dict[int, Hop] = {}
    layer = dict.fromkeys(starts, 0.0)
    known = set(starts)
    for _ in range(most):
        layer = _next(seen, layer, known, behind)
        reached = sorted(goals & layer.keys(), key=lambda node: (-layer[node], node))
        if reached:
            return [_telling(seen, hop) for hop in _back(reached[0], behind)]
        if not layer:
            break
    return None


def _next(
    seen: SeenGraph, layer: dict[int, float], known: set[int], behind: dict[int, Hop]
) -> dict[int, float]:
    """The nodes one hop on, with the weight of the best way there."""
    found: dict[int, float] = {}
    for node in sorted(layer):
        for other, edge in seen.neighbours(node):
            weight = layer[node] + float(seen.graph.weights[edge])
            if other not in known and weight > found.get(other, -1.0):
                found[other] = weight
                behind[other] = Hop(node, edge, other)
    known.update(found)
    return found


def _back(node: int, behind: dict[int, Hop]) -> list[Hop]:
    hops: list[Hop] = []
    while node in behind:
        hops.append(behind[node])
        node = behind[node].source
    return hops[::-1]


def _telling(seen: SeenGraph, hop: Hop) -> Hop:
    """The same hop over the edge that says most: a named relation before co-occurrence, then by weight."""
    edges = [edge for other, edge in seen.neighbours(hop.source) if other == hop.target]
    named = [edge for edge in edges if seen.graph.edge(edge).relation]
    return Hop(hop.source, (named or edges)[0], hop.target)
