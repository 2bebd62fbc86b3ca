"""Reports as chunks of kind ``community``."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from index.graph.communities.material import Place
from index.graph.quoting import quote
from index.graph.reader import FoldedGraph
from ingest.language import detect
from kb.digest import digest
from kb.models.embedder import Tokenizer
from kb.records import Chunk, Quote

_NAMED = 12  # members in the context
_MOST_LEAVES = 200  # that a chunk lists


@dataclass(frozen=True, slots=True)
class Told:
    """A report's words."""

    text: str
    rows: tuple[int, ...]  # the leaves whose words these are, rising
    leaves: tuple[int, ...]  # those of them that say most of it, rising
    quotes: tuple[Quote, ...] = ()


def quoted(places: Sequence[Place], leaf: Callable[[int], Chunk]) -> Told:
    """Sentences word for word, one a line."""
    parts: list[str] = []
    quotes: list[Quote] = []
    at = 0
    for row, start, end in places:
        chunk = leaf(row)
        parts.append(chunk.text[start:end])
        quotes.append(quote(chunk, start, end, at))
        at += end - start + 1
    rows = tuple(sorted({row for row, _, _ in places}))
    return Told("\n".join(parts), rows, rows, tuple(quotes))


def retold(text: str, graph: FoldedGraph, nodes: Iterable[int], edges: Iterable[int]) -> Told:
    """Words of an LLM on nodes and edges: they may come from any leaf that names these."""
    counts = Counter(m.row for node in nodes for m in graph.mentions(node))
    counts.update(m.row for edge in edges for m in graph.edge_mentions(edge))
    most = sorted(counts, key=lambda row: (-counts[row], row))[:_MOST_LEAVES]
    return Told(text, tuple(sorted(counts)), tuple(sorted(most)))


def chunk_of(
    path: str,
    level: int,
    title: str,
    names: Sequence[str],
    told: Told,
    leaf: Callable[[int], Chunk],
    tokenizer: Tokenizer,
) -> Chunk:
    """Words on entities as a chunk; its context names them, which its text need not do.

    Args:
        path: of the chunk, its own alone.
        level: of the community; 0 for a single entity.
        title: of the words.
        names: of the entities, most central first.
        told: the words.
        leaf: a leaf chunk by row.
        tokenizer: of the embedder.
    """
    leaves = tuple(leaf(row).id for row in told.leaves)
    identity = digest("report", path, str(level), told.text, *leaves)
    return Chunk(
        id=identity,
        doc_id=identity,
        path=path,
        start=0,
        end=len(told.text),
        text=told.text,
        context=", ".join(names[:_NAMED]),
        title=title,
        language=detect(told.text),
        tokens=tokenizer.count(told.text),
        kind="community",
        level=level,
        leaves=leaves,
        quotes=told.quotes,
    )
