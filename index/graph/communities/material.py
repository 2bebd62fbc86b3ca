"""What a report is made from: members by centrality, and the sentences that say something of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.graph.reader import FoldedGraph

_CENTRAL = 40  # members whose relations a report looks at
Place = tuple[int, int, int]  # leaf row, start and end in its text


@dataclass(frozen=True, slots=True)
class Material:
    """Of one community."""

    members: tuple[int, ...]  # all, most central first
    weight: Mapping[int, float]  # of the central ones: share of the weight inside, 0 to 1
    edges: tuple[int, ...]  # among the central ones, heaviest first
    sentences: Mapping[Place, frozenset[int]]  # behind these edges → central members named there


def material_of(graph: FoldedGraph, members: Sequence[int]) -> Material:
    """Look a community up in the graph.

    A member's centrality is the weight of its edges to other members; equals stand by place.
    """
    edges = _inside(graph, members)
    ends, weights = np.asarray(graph.ends[edges]), np.asarray(graph.weights[edges], np.float64)
    strength: dict[int, float] = dict.fromkeys(members, 0.0)
    for (a, b), weight in zip(ends.tolist(), weights.tolist(), strict=True):
        strength[a] += weight
        strength[b] += weight
    ordered = sorted(members, key=lambda m: (-strength[m], m))
    central = ordered[:_CENTRAL]
    most = max(strength[ordered[0]], 1e-9)
    kept = np.isin(ends, central).all(axis=1)
    by_weight = np.lexsort((edges[kept], -weights[kept]))
    chosen = tuple(edges[kept][by_weight].tolist())
    return Material(
        tuple(ordered), {m: strength[m] / most for m in central}, chosen, _sentences(graph, chosen)
    )


def _inside(graph: FoldedGraph, members: Sequence[int]) -> NDArray[np.int64]:
    """The edges between members, rising."""
    wanted = set(members)
    found = set()
    for member in members:
        others, edges = graph.neighbours(member)
        pairs = zip(others.tolist(), edges.tolist(), strict=True)
        found |= {edge for other, edge in pairs if other in wanted and other != member}
    return np.asarray(sorted(found), np.int64)


def _sentences(graph: FoldedGraph, edges: Sequence[int]) -> dict[Place, frozenset[int]]:
    named: defaultdict[Place, set[int]] = defaultdict(set)
    for edge in edges:
        pair = graph.ends[edge].tolist()
        for mention in graph.edge_mentions(edge):
            named[mention.row, mention.start, mention.end].update(pair)
    return {place: frozenset(nodes) for place, nodes in sorted(named.items())}
