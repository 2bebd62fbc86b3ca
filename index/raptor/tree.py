"""Trees in the making: structure and summaries, level by level, all trees of a forest together."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from index.raptor.layer import Layer
from index.raptor.leaves import Leaves
from index.raptor.nodes import Node
from index.raptor.project import Rows


@dataclass(slots=True)
class Tree:
    """The leaves of one scope and the levels over them, the lowest first."""

    scope: str
    layers: list[Layer] = field(default_factory=list)
    nodes: list[dict[int, Node]] = field(default_factory=list)  # one a layer, by cluster

    def under(self) -> list[dict[int, Rows]]:
        """Leaf rows under each cluster, rising, for each layer."""
        found: list[dict[int, Rows]] = []
        for layer in self.layers:
            below = found[-1] if found else None
            found.append(
                {
                    number: cluster.rows
                    if below is None
                    else np.unique(np.concatenate([below[row] for row in cluster.rows.tolist()]))
                    for number, cluster in layer.clusters.items()
                }
            )
        return found


@dataclass(slots=True)
class Forest:
    """All trees, by scope."""

    trees: list[Tree]

    def each(self) -> Iterator[tuple[Tree, int, int, Node]]:
        """Tree, index of the layer, cluster and node: by scope, level and number."""
        for tree in self.trees:
            for level, nodes in enumerate(tree.nodes):
                for number in sorted(nodes):
                    yield tree, level, number, nodes[number]


def spoken(rows: Rows, leaves: Leaves) -> str:
    """The language of most leaves; of equals the first by name."""
    counts = Counter(leaves.languages[row] for row in rows.tolist())
    return min(counts, key=lambda language: (-counts[language], language), default="")


def scopes(leaves: Leaves) -> list[tuple[str, Rows]]:
    """Leaf rows by scope, by name; a scope of one leaf needs no tree."""
    rows: dict[str, list[int]] = {}
    for row, scope in enumerate(leaves.scopes):
        rows.setdefault(scope, []).append(row)
    return [
        (scope, np.asarray(found, np.int64))
        for scope, found in sorted(rows.items())
        if len(found) > 1
    ]
