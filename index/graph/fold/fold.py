"""The fold: a pure function of what the chunks gave and of what a user decided.

Nothing is kept from the graph before, so a document that goes takes along all that it gave, and the graph
of the rest is, byte for byte, the one that was there without it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from index.graph.fold.edges import Span, edges_of
from index.graph.fold.gather import gather
from index.graph.fold.nodes import nodes_of
from index.graph.fold.pieces import Piece
from index.graph.fold.relate import note, said, sentences
from index.graph.records import Edge, Node
from index.graph.resolve.decisions import Decided
from index.graph.resolve.resolve import VERSION as RESOLVE_VERSION
from index.graph.resolve.resolve import Embed, resolve

VERSION = f"1.{RESOLVE_VERSION}"  # raised when the same pieces may fold to another graph


@dataclass(frozen=True, slots=True)
class Folded:
    """A graph in memory; nodes in order of id."""

    rows: int
    nodes: list[Node]
    node_spans: list[list[Span]]  # of each node: row, start, end, in order
    edges: list[Edge] = field(default_factory=list)
    edge_spans: list[list[Span]] = field(default_factory=list)  # of each edge: its sentences


def fold(
    pieces: Sequence[Piece],
    rows: int,
    decided: Decided | None = None,
    embed: Embed | None = None,
) -> Folded:
    """Fold what the chunks gave into one graph.

    Args:
        pieces: of the chunks, in any order, each row once.
        rows: number of leaf chunks.
        decided: by the user, about names.
        embed: texts to unit vectors; given where an LLM described the entities.
    """
    gathered = gather(pieces)
    together = list(sentences(pieces, gathered))
    relations = list(said(pieces, gathered))
    note(pieces, gathered, together, relations)
    groups = resolve(gathered.atoms, decided or Decided(), embed)
    named = nodes_of(groups, gathered.atoms)
    nodes = [node for node, _ in named]
    node_of = {atom: place for place, (_, group) in enumerate(named) for atom in group}
    edges = edges_of(nodes, node_of, together, relations)
    return Folded(
        rows,
        nodes,
        [
            sorted({span for atom in group for span in gathered.atoms[atom].places})
            for _, group in named
        ],
        [edge for edge, _ in edges],
        [spans for _, spans in edges],
    )
