"""What a graph holds, in numbers."""

from collections import Counter
from typing import Any

import msgspec

from index.graph.reader import FoldedGraph
from index.graph.resolve.groups import Groups


def stats(graph: FoldedGraph) -> dict[str, Any]:
    """Its facts; entities by type, most first; and how it hangs together.

    ``parts`` counts those of two entities and more, ``alone`` the entities without a relation.
    """
    nodes = range(len(graph))
    types = Counter(graph.node(node).type for node in nodes)
    groups = Groups(nodes, lambda _a, _b: False)
    for source, target in graph.ends.tolist():
        groups.join(source, target)
    sizes = [len(group) for group in groups.sets()]
    return {
        **msgspec.structs.asdict(graph.facts),
        "types": dict(sorted(types.items(), key=lambda pair: (-pair[1], pair[0]))),
        "parts": sum(size > 1 for size in sizes),
        "largest": max(sizes, default=0),
        "alone": sum(size == 1 for size in sizes),
    }
