"""GraphML, as Gephi, yEd and networkx read it."""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from query.graph.export.drawing import Drawing, DrawnEdge, DrawnNode
from query.graph.seen import Source

_NODE_KEYS = ("name", "type", "description", "aliases", "community", "sources")
_EDGE_KEYS = ("relation", "description", "sources")
_BAD = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 65534, 65535), " ")  # not in XML 1.0
_BAD |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def graphml(drawing: Drawing) -> Iterator[str]:
    """The file, a line at a time. Weights are doubles, all else is text; lists have a value a line."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for kind, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in keys:
            yield f'<key id="{kind}_{key}" for="{kind}" attr.name="{key}" attr.type="string"/>'
    yield '<key id="node_strength" for="node" attr.name="strength" attr.type="double"/>'
    yield '<key id="edge_weight" for="edge" attr.name="weight" attr.type="double"/>'
    yield '<graph edgedefault="directed">'
    for node in drawing.nodes:
        yield from _node(node, drawing.titles)
    for number, edge in enumerate(drawing.edges):
        yield from _edge(number, edge, drawing)
    yield "</graph>"
    yield "</graphml>"


def place_of(source: Source) -> str:
    """``file:line`` or ``file#page=3``."""
    if source.lines:
        return f"{source.path}:{source.lines[0]}"
    return f"{source.path}#page={source.pages[0]}" if source.pages else source.path


def _node(node: DrawnNode, titles: dict[str, str]) -> Iterator[str]:
    values = {
        "name": node.node.name,
        "type": node.node.type,
        "description": node.node.description,
        "aliases": "\n".join(node.node.aliases),
        "community": titles.get(node.community, ""),
        "sources": _sources(node.sources),
    }
    yield f"<node id={_attribute(node.node.id)}>"
    yield from _data("node", values)
    yield f'<data key="node_strength">{node.strength:.6g}</data></node>'


def _edge(number: int, edge: DrawnEdge, drawing: Drawing) -> Iterator[str]:
    ends = (drawing.nodes[place].node.id for place in (edge.source, edge.target))
    source, target = map(_attribute, ends)
    directed = "true" if edge.edge.relation else "false"
    yield f'<edge id="e{number}" source={source} target={target} directed="{directed}">'
    said = edge.edge
    values = {
        "relation": said.relation,
        "description": said.description,
        "sources": _sources(edge.sources),
    }
    yield from _data("edge", values)
    yield f'<data key="edge_weight">{said.weight:.6g}</data></edge>'


def _data(kind: str, values: dict[str, str]) -> Iterator[str]:
    for key, value in values.items():
        if value:
            yield f'<data key="{kind}_{key}">{escape(value.translate(_BAD))}</data>'


def _sources(sources: tuple[Source, ...]) -> str:
    return "\n".join(f"{place_of(one)} {' '.join(one.text.split())}" for one in sources)


def _attribute(value: str) -> str:
    return quoteattr(value.translate(_BAD))
