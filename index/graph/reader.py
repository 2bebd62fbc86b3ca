"""Reads a folded graph; arrays are memory-mapped and text is decoded one line at a time.

Files in the component's folder (n nodes in order of id, m edges in order of their nodes' ids,
r leaf rows):

- ``graph.json``: `Facts`.
- ``nodes.jsonl`` with ``node_lines.npy`` int64 (n + 1,): one `Node` a line.
- ``edges.jsonl`` with ``edge_lines.npy`` int64 (m + 1,): one `Edge` a line.
- ``ends.npy`` int32 (m, 2) and ``weights.npy`` float32 (m,): source, target and weight of each edge.
- ``node_spans.npy`` int32 (M, 3), ``node_ptr.npy`` int64 (n + 1,): row, start and end of each mention of
  a node, in order; ``edge_spans.npy``, ``edge_ptr.npy``: those of an edge.
- ``row_ptr.npy`` int64 (r + 1,), ``row_nodes.npy`` int32, ``row_counts.npy`` int32: the nodes that each
  leaf mentions and how often; ``node_row_ptr.npy``, ``node_rows.npy``, ``node_counts.npy``: the
  same by node.
- ``adj_ptr.npy`` int64 (n + 1,), ``adj_nodes.npy`` int32, ``adj_edges.npy`` int32: each edge seen from both
  ends.
- ``names.npy`` uint64 (a,) rising, ``name_nodes.npy`` int32 (a,): hashes of the keys of all aliases.
- ``vectors.npy`` float32 (n, d), unit rows, only where an LLM described the entities: of name and
  description.
"""

import mmap
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from index.graph.names import hash_of, name_key
from index.graph.records import Edge, Mention, Node

VERSION = 1
_decode_node = msgspec.json.Decoder(Node).decode
_decode_edge = msgspec.json.Decoder(Edge).decode


class Facts(msgspec.Struct, frozen=True):
    """What is known of a graph as a whole."""

    version: int
    extractor: str  # rules or llm
    rows: int  # leaves it was made from
    nodes: int
    edges: int
    typed: int  # edges that say more than co-occurrence
    mentions: int
    failed: int = 0  # chunks of which the LLM gave nothing that could be read; rules stand in
    pending: int = 0  # chunks that the LLM is still to be asked for; rules stand in


def in_words(facts: Facts) -> str:
    """What a graph holds, and what is not to be expected of it."""
    by, chunks = f"graph by {facts.extractor}", _many(facts.rows, "chunk")
    if not facts.rows:
        return "graph: the index holds no chunks, so there is nothing to read entities from"
    if not facts.nodes:
        return f"{by}: no entities were found in {chunks}"
    entities = _many(facts.nodes, "entity", "entities")
    named = f" ({facts.typed:,} of them named)" if facts.edges else ""
    said = (
        f"{by}: {entities}, {_many(facts.edges, 'relation')}{named}, "
        f"{_many(facts.mentions, 'mention')} in {chunks}"
    )
    if facts.nodes == 1:
        return f"{said}; one entity alone is related to nothing"
    if not facts.edges:
        return f"{said}; none are related, so there are no paths and no communities"
    return said


def _many(number: int, singular: str, plural: str = "") -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


class FoldedGraph:
    """A graph as it was saved; ``len()`` is the number of nodes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.facts: Facts = msgspec.json.decode((folder / "graph.json").read_bytes(), type=Facts)

    def __len__(self) -> int:
        return self.facts.nodes

    def node(self, index: int) -> Node:
        """The node at a place."""
        return _decode_node(self._node_lines[index])

    def edge(self, index: int) -> Edge:
        """The edge at a place."""
        return _decode_edge(self._edge_lines[index])

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """Source and target of each edge, int32 (m, 2)."""
        return self._array("ends")

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """Weight of each edge, float32 (m,)."""
        return self._array("weights")

    @cached_property
    def vectors(self) -> NDArray[np.float32] | None:
        """Unit vector of each node's name and description, float32 (n, d); None by rules."""
        return self._array("vectors") if (self.folder / "vectors.npy").exists() else None

    def mentions(self, node: int) -> list[Mention]:
        """Where a node is named, by row and place."""
        return _mentions(self._of("node_ptr", "node_spans", node))

    def edge_mentions(self, edge: int) -> list[Mention]:
        """The sentences that an edge stands on, by row and place."""
        return _mentions(self._of("edge_ptr", "edge_spans", edge))

    def rows_of(self, node: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The leaves that mention a node, rising, and how often each does."""
        return (
            self._of("node_row_ptr", "node_rows", node),
            self._of("node_row_ptr", "node_counts", node),
        )

    def nodes_of(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The nodes that a leaf mentions, rising, and how often it does."""
        return self._of("row_ptr", "row_nodes", row), self._of("row_ptr", "row_counts", row)

    def neighbours(self, node: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Nodes at the other end of each edge of a node, and those edges; one pair may have several."""
        return self._of("adj_ptr", "adj_nodes", node), self._of("adj_ptr", "adj_edges", node)

    @property
    def incidence(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Leaf by node as CSR: row pointers (r + 1,), nodes, counts."""
        return self._array("row_ptr"), self._array("row_nodes"), self._array("row_counts")

    @property
    def adjacency(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Node by node as CSR: row pointers (n + 1,), nodes, edges."""
        return self._array("adj_ptr"), self._array("adj_nodes"), self._array("adj_edges")

    def named(self, name: str) -> list[int]:
        """The nodes that are written so, without regard to case, accents, articles and titles.

        Several where different entities share a name, none where there is no such name.
        """
        return self.with_hashes([hash_of(name_key(name))])[0]

    def with_hashes(self, hashes: Iterable[int]) -> list[list[int]]:
        """As `named`, for many names at once, each by ``names.hash_of(names.name_key(name))``."""
        wanted = np.fromiter(hashes, np.uint64)
        keys: NDArray[np.uint64] = self._array("names")
        nodes: NDArray[np.int32] = self._array("name_nodes")
        first = np.searchsorted(keys, wanted, "left")
        end = np.searchsorted(keys, wanted, "right")
        return [nodes[a:b].tolist() for a, b in zip(first, end, strict=True)]

    def _of(self, pointers: str, values: str, place: int) -> NDArray[np.int32]:
        ptr = self._array(pointers)
        return self._array(values)[int(ptr[place]) : int(ptr[place + 1])]

    def _array(self, name: str) -> NDArray:  # type: ignore[type-arg]
        if name not in self._arrays:
            self._arrays[name] = np.load(self.folder / f"{name}.npy", mmap_mode="r")
        return self._arrays[name]

    @cached_property
    def _arrays(self) -> dict[str, NDArray]:  # type: ignore[type-arg]
        return {}

    @cached_property
    def _node_lines(self) -> "_Lines":
        return _Lines(self.folder / "nodes.jsonl", self._array("node_lines"))

    @cached_property
    def _edge_lines(self) -> "_Lines":
        return _Lines(self.folder / "edges.jsonl", self._array("edge_lines"))


class _Lines:
    """The lines of a file by their place."""

    def __init__(self, path: Path, offsets: NDArray[np.int64]) -> None:
        self._offsets = offsets
        with path.open("rb") as f:
            some = len(offsets) > 1
            self._bytes = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) if some else b""

    def __getitem__(self, place: int) -> bytes:
        if not 0 <= place < len(self._offsets) - 1:
            raise IndexError(place)
        return self._bytes[int(self._offsets[place]) : int(self._offsets[place + 1])]


def _mentions(spans: NDArray[np.int32]) -> list[Mention]:
    return [Mention(*span) for span in spans.tolist()]
