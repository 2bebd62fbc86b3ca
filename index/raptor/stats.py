"""Trees in numbers."""

from typing import Any

import numpy as np

from index.raptor.links import Links
from index.raptor.outline import COMPONENT, links_of
from index.raptor.state import read_nodes
from index.reader import GenerationReader


def stats(reader: GenerationReader) -> dict[str, Any]:
    """Of a generation's trees.

    Raises:
        UsageError: it has none.
    """
    links = links_of(reader)
    entry = links.entry
    nodes = list(read_nodes(reader.folder / COMPONENT))
    levels = []
    for level in range(1, int(links.levels.max(initial=0)) + 1):
        places = np.flatnonzero(links.levels == level)
        tokens = [nodes[place].tokens for place in places.tolist()]
        levels.append(
            {
                "level": level,
                **_members(links, places),
                "mean_tokens": round(float(np.mean(tokens)), 1),
            }
        )
    layers = [tree.layers[0] for tree in entry.trees]
    return {
        "generation": reader.manifest.number,
        "scope": entry.scope,
        "summarizer": entry.summarizer,
        "trees": len(entry.trees),
        "leaves": entry.leaves,
        "leaves_in_trees": sum(tree.leaves for tree in entry.trees),
        "summaries": len(links),
        "tops": len(links.tops),
        "stood_in": sum(bool(node.stood_in) for node in nodes),
        "pending": sum(node.pending for node in nodes),
        "changed_since_grown": sum(layer.changed for layer in layers),
        "drift": round(entry.drift, 4),
        "levels": levels,
    }


def _members(links: Links, places: np.ndarray[Any, np.dtype[np.int64]]) -> dict[str, Any]:
    below = [links.below(place) for place in places.tolist()]
    counts = [len(members) for members in below]
    unique = len(np.unique(np.concatenate([np.empty(0, np.int64), *below]))) if below else 0
    return {
        "summaries": len(places),
        "mean_members": round(float(np.mean(counts)), 2),
        "most_members": max(counts),
        "memberships": round(sum(counts) / unique, 2),  # clusters that a member is in
    }
