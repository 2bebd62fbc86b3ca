"""What an LLM's extraction says of single entities: for questions that a report on all is too broad for."""

from collections.abc import Callable, Iterator

from index.graph.communities.chunks import Told, chunk_of, retold
from index.graph.reader import FoldedGraph
from kb.models.embedder import Tokenizer
from kb.records import Chunk

_SIZE = 300  # characters, but for a longer line
_MOST = 6  # pieces of one entity


def profiles_of(
    graph: FoldedGraph, leaf: Callable[[int], Chunk], tokenizer: Tokenizer
) -> Iterator[tuple[Chunk, Told]]:
    """Chunks of level 0 on each entity that is related to others and described, in pieces.

    Only where an LLM read: what rules take for a description are words of one passage.
    """
    if graph.facts.extractor != "llm":
        return
    for place in range(len(graph)):
        others, edges = graph.neighbours(place)
        if not len(others):
            continue
        node = graph.node(place)
        for number, text in enumerate(_pieces(_lines(graph, place, edges.tolist()))):
            told = retold(text, graph, [place], edges.tolist())
            path = f"community:{node.id}" + (f".{number}" if number else "")
            yield chunk_of(path, 0, node.name, [node.name], told, leaf, tokenizer), told


def _lines(graph: FoldedGraph, place: int, edges: list[int]) -> Iterator[str]:
    """The description, then those of the relations, heaviest first."""
    node = graph.node(place)
    if node.description:
        yield f"{node.name}: {node.description}"
    for number in sorted(set(edges), key=lambda e: (-float(graph.weights[e]), e)):
        edge = graph.edge(number)
        if edge.description:
            ends = graph.node(edge.source).name, graph.node(edge.target).name
            yield f"{ends[0]} {edge.relation} {ends[1]}: {edge.description}"


def _pieces(lines: Iterator[str]) -> list[str]:
    pieces: list[str] = []
    for line in lines:
        if pieces and len(pieces[-1]) + len(line) < _SIZE:
            pieces[-1] += f"\n{line}"
        elif len(pieces) < _MOST:
            pieces.append(line)
    return pieces
