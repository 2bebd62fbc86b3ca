"""The graph as one reader may see it: what is only said in hidden documents is not there."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from index.graph.communities.records import Community, read_communities
from index.graph.quoting import lines_of
from index.graph.reader import FoldedGraph
from index.graph.records import Edge, Mention, Node
from index.reader import GenerationReader
from kb.errors import UsageError
from kb.records import Chunk

Mask = NDArray[np.bool_]
NO_GRAPH = "this knowledge base has no graph: make one with 'tesela graph build'"
_HELD = 2048  # leaves in memory


@dataclass(frozen=True, slots=True)
class Source:
    """Words of a document, and where they stand."""

    path: str
    lines: tuple[int, int] | None
    pages: tuple[int, int] | None
    span: tuple[int, int]  # in the document
    text: str


class SeenGraph:
    """The graph of a generation behind a mask of its leaves.

    Args:
        reader: of the generation, leaves only.
        live: leaves that may be seen, bool (n,); None for all.

    Raises:
        UsageError: it has no graph.
    """

    def __init__(self, reader: GenerationReader, live: Mask | None = None) -> None:
        if "graph" not in reader.manifest.components:
            raise UsageError(NO_GRAPH)
        self._reader = reader
        self._live = None if live is None or live.all() else live
        self.graph = FoldedGraph(reader.folder / "graph")
        self._leaf = lru_cache(_HELD)(reader.chunks.__getitem__)

    @property
    def title(self) -> str:
        """What a picture of it is called: the folder that holds the KB."""
        return self._reader.folder.resolve().parents[2].name or "graph"

    @property
    def why_empty(self) -> str:
        """What there is to say of a graph without a node or without an edge; "" of any other."""
        if not len(self.nodes):
            return "the graph is empty: no names were found in the documents"
        if not len(self.edges):
            return "the graph holds names and no relations: no two of them stand together"
        return ""

    @cached_property
    def nodes(self) -> NDArray[np.int64]:
        """Places of the nodes that can be seen, rising."""
        if self._live is None:
            return np.arange(len(self.graph))
        return np.asarray([n for n in range(len(self.graph)) if self.mentions(n)], np.int64)

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Places of the edges that can be seen, rising."""
        if self._live is None:
            return np.arange(len(self.graph.ends))
        return np.asarray(
            [e for e in range(len(self.graph.ends)) if self.edge_mentions(e)], np.int64
        )

    def mentions(self, node: int) -> list[Mention]:
        """Where a node is named."""
        return self._shown(self.graph.mentions(node))

    def edge_mentions(self, edge: int) -> list[Mention]:
        """Where an edge is said."""
        return self._shown(self.graph.edge_mentions(edge))

    def node(self, place: int) -> Node:
        """A node, by the names that it has where it can be seen."""
        node = self.graph.node(place)
        shown = self.mentions(place)
        if self._live is None or len(shown) == len(self.graph.mentions(place)):
            return node
        written = Counter(self._leaf(m.row).text[m.start : m.end] for m in shown)
        names = tuple(sorted(written, key=lambda name: (-written[name], name)))
        name = node.name if node.name in names else names[0]
        return msgspec.structs.replace(node, name=name, aliases=names, description="")

    def edge(self, place: int) -> Edge:
        """An edge; what was said of it in words only where none of its sources is hidden."""
        edge = self.graph.edge(place)
        if self._live is None or len(self.edge_mentions(place)) == len(
            self.graph.edge_mentions(place)
        ):
            return edge
        return msgspec.structs.replace(edge, description="")

    def neighbours(self, node: int) -> list[tuple[int, int]]:
        """Nodes beside a node and the edges there, heaviest first."""
        others, edges = self.graph.neighbours(node)
        pairs = [
            (int(other), int(edge))
            for other, edge in zip(others, edges, strict=True)
            if self._live is None or self.edge_mentions(int(edge))
        ]
        return sorted(pairs, key=lambda pair: (-float(self.graph.weights[pair[1]]), pair))

    def communities(self) -> list[Community]:
        """Those of which all members can be seen."""
        found = read_communities(self.graph.folder)
        if self._live is None:
            return found
        seen = {self.graph.node(int(place)).id for place in self.nodes}
        return [one for one in found if seen.issuperset(one.members)]

    def path_of(self, row: int) -> str:
        """The document of a leaf."""
        return self._leaf(row).path

    def source(self, mention: Mention) -> Source:
        """The words at a place."""
        chunk = self._leaf(mention.row)
        text = chunk.text[mention.start : mention.end]
        span = chunk.start + mention.start, chunk.start + mention.end
        lines = lines_of(chunk, mention.start, mention.end)
        return Source(chunk.path, lines, chunk.pages, span, text)

    def sentence(self, mention: Mention) -> Source:
        """The line or so around a name: up to 120 characters either side, cut at blanks."""
        chunk = self._leaf(mention.row)
        return self.source(Mention(mention.row, *_around(chunk, mention)))

    def sentences(self, mentions: Iterable[Mention], limit: int) -> list[Source]:
        """The first so many places, a line but once however often it says the name; see `sentence`."""
        found: dict[object, Source] = {}
        for mention in mentions:
            if len(found) == limit:
                break
            source = self.sentence(mention)
            found.setdefault((source.path, source.lines or source.span), source)
        return list(found.values())

    def find(self, name: str) -> list[int]:
        """The nodes of a name, or of an id.

        Raises:
            UsageError: there is none; the message names those that come near.
        """
        seen = set(self.nodes.tolist())
        found = [
            node for node in self.graph.named(name) if node in seen and self._bears(node, name)
        ]
        found = found or [n for n in sorted(seen) if self.graph.node(n).id == name]
        if found:
            return found
        near = self._near(name)
        hint = f": is it {' or '.join(repr(one) for one in near)}?" if near else ""
        raise UsageError(f"no entity of the graph is called {name!r}{hint}")

    def knows(self, key: str) -> bool:
        """Whether a name's key may be told: all of them where nothing is hidden."""
        if self._live is None:
            return True
        seen = set(self.nodes.tolist())
        return any(n in seen and self._bears(n, key) for n in self.graph.named(key))

    def _bears(self, node: int, name: str) -> bool:
        """Whether it is called so where it can be seen."""
        if self._live is None:
            return True
        from index.graph.names import name_key

        return name_key(name) in {name_key(alias) for alias in self.node(node).aliases}

    def _near(self, name: str) -> list[str]:
        from difflib import get_close_matches

        names = [self.node(int(place)).name for place in self.nodes]
        folded = name.casefold()
        inside = sorted((n for n in names if folded in n.casefold()), key=lambda n: (len(n), n))
        return list(dict.fromkeys(inside[:3] or get_close_matches(name, names, 3)))

    def _shown(self, mentions: Sequence[Mention]) -> list[Mention]:
        if self._live is None:
            return list(mentions)
        return [mention for mention in mentions if self._live[mention.row]]


def _around(chunk: Chunk, mention: Mention) -> tuple[int, int]:
    start = max(chunk.text.rfind("\n", 0, mention.start) + 1, mention.start - 120)
    end = chunk.text.find("\n", mention.end)
    end = min(len(chunk.text) if end < 0 else end, mention.end + 120)
    while start > 0 and start < mention.start and not chunk.text[start - 1].isspace():
        start += 1
    while end < len(chunk.text) and end > mention.end and not chunk.text[end].isspace():
        end -= 1
    return start, end
