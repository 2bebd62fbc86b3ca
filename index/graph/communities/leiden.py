"""Which entities belong together: hierarchical Leiden (Traag, Waltman and van Eck 2019) on edge weights."""

from dataclasses import dataclass

import numpy as np

from index.graph.reader import FoldedGraph

LEAST = 3  # members that are worth a report
_RANDOMNESS = 0.001
_SEED = 42


@dataclass(frozen=True, slots=True)
class Group:
    """A community, by places in the graph and in the list of groups."""

    members: tuple[int, ...]  # rising
    parent: int  # -1: none
    level: int  # 1: it holds no smaller group; else one more than the highest inside it


def groups_of(graph: FoldedGraph, largest: int) -> list[Group]:
    """Communities of at least `LEAST` members; each stands behind the one that it is part of.

    Nodes without an edge are in none. One of more than `largest` members is split again where that can
    be done; the whole stays, a level above its parts. Seeded: the same graph gives the same groups.
    """
    pairs = _pairs(graph)
    if not pairs:
        return []
    import graspologic_native

    found = graspologic_native.hierarchical_leiden(  # pyright: ignore[reportAttributeAccessIssue]
        edges=pairs, randomness=_RANDOMNESS, max_cluster_size=largest, seed=_SEED
    )
    members: dict[int, list[int]] = {}
    parents: dict[int, int] = {}
    for one in found:
        members.setdefault(one.cluster, []).append(int(one.node))
        parents[one.cluster] = -1 if one.parent_cluster is None else one.parent_cluster
    return _grouped(members, parents)


def _pairs(graph: FoldedGraph) -> list[tuple[str, str, float]]:
    """Each pair of nodes that an edge joins, once, with the weight of all its edges."""
    ends = np.sort(np.asarray(graph.ends, np.int64), axis=1)
    kept = ends[:, 0] != ends[:, 1]
    unique, place = np.unique(ends[kept], axis=0, return_inverse=True)
    weights = np.bincount(place.reshape(-1), graph.weights[kept], len(unique))
    return [
        (str(a), str(b), weight)
        for (a, b), weight in zip(unique.tolist(), weights.tolist(), strict=True)
    ]


def _grouped(members: dict[int, list[int]], parents: dict[int, int]) -> list[Group]:
    kept = sorted(cluster for cluster, inside in members.items() if len(inside) >= LEAST)
    heights = dict.fromkeys(kept, 1)
    for cluster in reversed(kept):  # parts have higher numbers than what they are part of
        parent = parents[cluster]
        if parent in heights:
            heights[parent] = max(heights[parent], heights[cluster] + 1)
    places = {cluster: place for place, cluster in enumerate(kept)}
    return [Group(tuple(sorted(members[c])), places.get(parents[c], -1), heights[c]) for c in kept]
