"""Writes a folded graph by hand, in the files that `index.graph.reader` documents."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from index.graph.names import hash_of, name_key
from index.graph.reader import VERSION, Facts, FoldedGraph
from index.graph.records import Edge, Node
from kb.digest import digest

Span = tuple[int, int, int]  # row, start, end


@dataclass
class Written:
    """A node and where it is named."""

    name: str
    spans: Sequence[Span] = ()
    type: str = ""
    description: str = ""
    aliases: tuple[str, ...] = ()


@dataclass
class Related:
    """An edge, by the nodes' names."""

    source: str
    target: str
    relation: str = ""
    weight: float = 1.0
    spans: Sequence[Span] = ()
    description: str = ""


@dataclass
class Drawn:
    """A graph to write."""

    nodes: list[Written]
    edges: list[Related] = field(default_factory=list)
    rows: int = 1


def write_graph(folder: Path, drawn: Drawn) -> FoldedGraph:
    """Write it, nodes in order of their ids, and open it."""
    folder.mkdir(parents=True, exist_ok=True)
    written = sorted(drawn.nodes, key=lambda n: _id(n.name))
    place = {node.name: i for i, node in enumerate(written)}
    nodes = [
        Node(_id(n.name), n.name, n.type, n.aliases or (n.name,), n.description) for n in written
    ]
    edges = [
        Edge(place[e.source], place[e.target], e.relation, e.description, e.weight)
        for e in drawn.edges
    ]
    ends = np.asarray([(e.source, e.target) for e in edges], np.int32).reshape(-1, 2)
    np.save(folder / "ends.npy", ends)
    np.save(folder / "weights.npy", np.asarray([e.weight for e in edges], np.float32))
    _lines(folder, "node", nodes)
    _lines(folder, "edge", edges)
    _spans(folder, "node", [n.spans for n in written])
    _spans(folder, "edge", [e.spans for e in drawn.edges])
    _incidence(folder, written, drawn.rows)
    _adjacency(folder, len(nodes), ends)
    _names(folder, nodes)
    facts = Facts(
        VERSION, "rules", drawn.rows, len(nodes), len(edges), sum(bool(e.relation) for e in edges),
        sum(len(n.spans) for n in written),
    )  # fmt: skip
    (folder / "graph.json").write_bytes(msgspec.json.encode(facts))
    return FoldedGraph(folder)


def _id(name: str) -> str:
    return digest("node", name)[:16]


def _lines(folder: Path, what: str, records: Sequence[msgspec.Struct]) -> None:
    lines = [msgspec.json.encode(record) + b"\n" for record in records]
    (folder / f"{what}s.jsonl").write_bytes(b"".join(lines))
    np.save(folder / f"{what}_lines.npy", _pointers(map(len, lines)))


def _pointers(counts: Iterable[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(list(counts))]).astype(np.int64)


def _spans(folder: Path, what: str, spans: Sequence[Sequence[Span]]) -> None:
    np.save(folder / f"{what}_ptr.npy", _pointers(map(len, spans)))
    flat = [span for some in spans for span in some]
    np.save(folder / f"{what}_spans.npy", np.asarray(flat, np.int32).reshape(-1, 3))


def _incidence(folder: Path, written: Sequence[Written], rows: int) -> None:
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for i, node in enumerate(written):
        for row, _, _ in node.spans:
            counts[row, i] += 1
    _csr(folder, "row_ptr", ("row_nodes", "row_counts"), rows, counts)
    by_node = {(i, row): n for (row, i), n in counts.items()}
    _csr(folder, "node_row_ptr", ("node_rows", "node_counts"), len(written), by_node)


def _csr(
    folder: Path, ptr: str, names: tuple[str, str], count: int, cells: dict[tuple[int, int], int]
) -> None:
    keys = sorted(cells)
    sizes = [0] * count
    for first, _ in keys:
        sizes[first] += 1
    np.save(folder / f"{ptr}.npy", _pointers(sizes))
    np.save(folder / f"{names[0]}.npy", np.asarray([k[1] for k in keys], np.int32))
    np.save(folder / f"{names[1]}.npy", np.asarray([cells[k] for k in keys], np.int32))


def _adjacency(folder: Path, count: int, ends: np.ndarray) -> None:
    seen: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for edge, (a, b) in enumerate(ends.tolist()):
        seen[a].append((b, edge))
        seen[b].append((a, edge))
    flat = [pair for some in seen for pair in sorted(some)]
    np.save(folder / "adj_ptr.npy", _pointers(map(len, seen)))
    np.save(folder / "adj_nodes.npy", np.asarray([n for n, _ in flat], np.int32))
    np.save(folder / "adj_edges.npy", np.asarray([e for _, e in flat], np.int32))


def _names(folder: Path, nodes: Sequence[Node]) -> None:
    pairs = sorted(
        {(hash_of(name_key(alias)), i) for i, node in enumerate(nodes) for alias in node.aliases}
    )
    np.save(folder / "names.npy", np.asarray([h for h, _ in pairs], np.uint64))
    np.save(folder / "name_nodes.npy", np.asarray([n for _, n in pairs], np.int32))
