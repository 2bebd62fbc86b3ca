"""What of a graph is exported: nodes and edges with their sources, most central first where not all fit."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.graph.records import Edge, Mention, Node
from query.graph.seen import SeenGraph, Source


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node of an export."""

    place: int  # in the graph
    node: Node
    strength: float  # weight of its edges
    mentions: int
    documents: int
    community: str  # id of the smallest one that it is in; ""
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge of an export, by places in the list of nodes."""

    source: int
    target: int
    edge: Edge
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that is exported."""

    nodes: list[DrawnNode]
    edges: list[DrawnEdge]
    titles: dict[str, str]  # community id → title
    left_out: int  # nodes


def draw(
    seen: SeenGraph, most_nodes: int | None = None, most_edges: int | None = None, sources: int = 3
) -> Drawing:
    """Collect an export.

    Args:
        seen: the graph.
        most_nodes: those with the heaviest edges; None for all.
        most_edges: the heaviest among them; None for all.
        sources: of each node and edge, at most.
    """
    strength = _strength(seen)
    order = seen.nodes[np.lexsort((seen.nodes, -strength[seen.nodes]))]
    kept = sorted(order[:most_nodes].tolist())
    places = {node: place for place, node in enumerate(kept)}
    edges = _edges(seen, places, most_edges)
    communities = seen.communities()
    home: dict[str, str] = {}
    for one in sorted(communities, key=lambda one: (one.level, one.id)):
        for member in one.members:
            home.setdefault(member, one.id)
    nodes = [_node(seen, node, float(strength[node]), home, sources) for node in kept]
    used = {node.community for node in nodes}
    return Drawing(
        nodes,
        [_edge(seen, edge, places, sources) for edge in edges],
        {one.id: one.title for one in communities if one.id in used},
        len(order) - len(kept),
    )


def _strength(seen: SeenGraph) -> NDArray[np.float64]:
    ends, weights = seen.graph.ends[seen.edges], seen.graph.weights[seen.edges]
    total = np.zeros(len(seen.graph))
    for side in (0, 1):
        total += np.bincount(ends[:, side], weights, len(seen.graph))
    return total


def _edges(seen: SeenGraph, places: dict[int, int], most: int | None) -> list[int]:
    kept = np.fromiter(places, np.int64, len(places))
    inside = np.isin(seen.graph.ends[seen.edges], kept).all(axis=1)
    edges = seen.edges[inside]
    order = np.lexsort((edges, -seen.graph.weights[edges]))
    return sorted(edges[order][:most].tolist())


def _node(
    seen: SeenGraph, place: int, strength: float, home: dict[str, str], sources: int
) -> DrawnNode:
    node, mentions = seen.node(place), seen.mentions(place)
    found = [seen.sentence(m) for m in _spread(mentions, sources)]
    rows = {m.row for m in mentions}
    documents = {seen.path_of(row) for row in rows}
    return DrawnNode(
        place, node, strength, len(mentions), len(documents), home.get(node.id, ""), tuple(found)
    )


def _edge(seen: SeenGraph, place: int, places: dict[int, int], sources: int) -> DrawnEdge:
    edge = seen.edge(place)
    found = tuple(seen.source(m) for m in _spread(seen.edge_mentions(place), sources))
    return DrawnEdge(places[edge.source], places[edge.target], edge, found)


def _spread(mentions: Sequence[Mention], most: int) -> list[Mention]:
    """The first mention in each of the first leaves."""
    first: dict[int, Mention] = {}
    for mention in mentions:
        first.setdefault(mention.row, mention)
        if len(first) == most:
            break
    return list(first.values())
