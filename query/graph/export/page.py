"""One HTML file that shows the graph: no network, no other file."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from query.graph.export.drawing import Drawing
from query.graph.export.graphml import place_of
from query.graph.export.layout import layout
from query.graph.seen import Source

_HERE = Path(__file__).parent
_CODE = ("page.js", "page_start.js")


def page(drawing: Drawing, title: str) -> str:
    """The file's text. What is in it came from documents, and is only ever shown as text."""
    data = json.dumps(_data(drawing, title), ensure_ascii=False, separators=(",", ":"))
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    text = (_HERE / "page.html").read_text(encoding="utf-8")
    for name, part in (
        ("/*STYLE*/", (_HERE / "page.css").read_text(encoding="utf-8")),
        ("/*CODE*/", "".join((_HERE / name).read_text(encoding="utf-8") for name in _CODE)),
        ("/*DATA*/", safe),
    ):
        text = text.replace(name, part, 1)
    return text


def _data(drawing: Drawing, title: str) -> dict[str, Any]:
    ends = np.asarray([(e.source, e.target) for e in drawing.edges], np.int64).reshape(-1, 2)
    weights = np.asarray([e.edge.weight for e in drawing.edges], np.float64)
    groups = [node.community for node in drawing.nodes]
    at = layout(len(drawing.nodes), ends, weights, groups)
    order = {group: number for number, group in enumerate(_by_size(groups))}
    return {
        "title": title,
        "leftOut": drawing.left_out,
        "groups": [drawing.titles.get(group, "") for group in order],
        "nodes": [
            {
                "name": one.node.name,
                "type": one.node.type,
                "about": one.node.description,
                "also": [name for name in one.node.aliases if name != one.node.name],
                "x": float(at[place, 0]),
                "y": float(at[place, 1]),
                "strength": round(one.strength, 3),
                "group": order[one.community],
                "mentions": one.mentions,
                "sources": [_source(source) for source in one.sources],
            }
            for place, one in enumerate(drawing.nodes)
        ],
        "edges": [
            [
                one.source,
                one.target,
                round(one.edge.weight, 3),
                one.edge.relation,
                *(_source(source) for source in one.sources[:1]),
            ]
            for one in drawing.edges
        ],
    }


def _by_size(groups: list[str]) -> list[str]:
    sizes = Counter(groups)
    return sorted(sizes, key=lambda group: (-sizes[group], group))


def _source(source: Source) -> list[str]:
    return [place_of(source), " ".join(source.text.split())]
