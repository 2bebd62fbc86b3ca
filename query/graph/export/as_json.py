"""The graph as one JSON value."""

from typing import Any

import msgspec

from query.graph.export.drawing import Drawing
from query.graph.seen import Source


def as_json(drawing: Drawing) -> dict[str, Any]:
    """``nodes`` and ``edges``; an edge names its ends by ids. Co-occurrence has no relation: ``""``."""
    nodes, ids = [], [one.node.id for one in drawing.nodes]
    for one in drawing.nodes:
        shown: dict[str, Any] = msgspec.to_builtins(one.node)
        shown |= {
            "strength": round(one.strength, 6),
            "mentions": one.mentions,
            "documents": one.documents,
            "community": one.community,
            "sources": [source_json(source) for source in one.sources],
        }
        nodes.append(shown)
    edges = [
        {
            "source": ids[one.source],
            "target": ids[one.target],
            "relation": one.edge.relation,
            "description": one.edge.description,
            "weight": round(one.edge.weight, 6),
            "sources": [source_json(source) for source in one.sources],
        }
        for one in drawing.edges
    ]
    return {
        "nodes": nodes,
        "edges": edges,
        "communities": drawing.titles,
        "left_out": drawing.left_out,
    }


def source_json(source: Source) -> dict[str, Any]:
    """A source; ``lines`` and ``pages`` are null where the format has none."""
    return {
        "path": source.path,
        "lines": list(source.lines) if source.lines else None,
        "pages": list(source.pages) if source.pages else None,
        "span": list(source.span),
        "text": source.text,
    }
