"""Texts and extractions for tests of the graph."""

from collections.abc import Iterable, Mapping

from index.graph.extract.rules import extract
from index.graph.fold.fold import Folded, fold
from index.graph.fold.pieces import Piece
from index.graph.records import Extraction, Node, RawEntity, RawRelation
from index.graph.resolve.decisions import Decided, Decision

ZHANGS = {
    "leeds.md": "Dr. Zhang, a dentist in Leeds, works at Smile Clinic. Dr. Zhang treats teeth.",
    "york.md": "Dr. Zhang, a cardiologist, works at York Hospital. Dr. Zhang treats hearts.",
}
AGENCY = {
    "briefing.md": (
        "Agent Alex Mercer met Taylor Cruz at Dulce base. “Ready, Agent Mercer?” asked Cruz. "
        "Mercer nodded. Alex Mercer works at Dulce base."
    ),
    "report.md": "Agent Mercer and Taylor Cruz left Dulce base in May. Mercer wrote to Taylor Cruz.",
}


def pieces_of(documents: Mapping[str, str]) -> list[Piece]:
    """Each document as one chunk, read by rules."""
    return [Piece(row, path, extract(text)) for row, (path, text) in enumerate(documents.items())]


def folded(documents: Mapping[str, str], *decisions: Decision) -> Folded:
    pieces = pieces_of(documents)
    return fold(pieces, len(pieces), Decided(decisions))


def named(graph: Folded, alias: str) -> list[Node]:
    """The nodes that bear a name."""
    return [node for node in graph.nodes if alias in node.aliases]


def one(graph: Folded, alias: str) -> Node:
    (node,) = named(graph, alias)
    return node


def told(
    *entities: tuple[str, str, str], relations: Iterable[tuple[str, str, str]] = ()
) -> Extraction:
    """As of an LLM: entities by name, type and description, each at a place of its own."""
    return Extraction(
        tuple(
            RawEntity(name, kind, said, ((10 * place, 10 * place + 5),))
            for place, (name, kind, said) in enumerate(entities)
        ),
        tuple(RawRelation(*relation) for relation in relations),
    )
