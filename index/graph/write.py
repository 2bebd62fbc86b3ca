"""Writes a folded graph in the form that `index.graph.reader` reads; the same graph gives the same bytes."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from index.graph.fold.edges import Span
from index.graph.fold.fold import Folded
from index.graph.names import hash_of, name_key
from index.graph.reader import VERSION, Facts
from index.graph.records import CO_OCCURRENCE


def write_graph(
    folder: Path,
    graph: Folded,
    extractor: str,
    *,
    failed: int = 0,
    pending: int = 0,
    vectors: NDArray[np.float32] | None = None,
) -> Facts:
    """Write all files of a graph; returns what is known of it as a whole.

    Args:
        folder: to write into.
        graph: the fold.
        extractor: rules or llm.
        failed: chunks of which the LLM gave nothing that could be read.
        pending: chunks that it is still to be asked for.
        vectors: of each node's name and description, unit rows (n, d); None where there are none.
    """
    facts = Facts(
        VERSION,
        extractor,
        graph.rows,
        len(graph.nodes),
        len(graph.edges),
        sum(edge.relation != CO_OCCURRENCE for edge in graph.edges),
        sum(map(len, graph.node_spans)),
        failed,
        pending,
    )
    (folder / "graph.json").write_bytes(msgspec.json.encode(facts))
    _lines(folder, "node", graph.nodes)
    _lines(folder, "edge", graph.edges)
    ends = [(edge.source, edge.target) for edge in graph.edges]
    _save(folder, "ends", np.asarray(ends, np.int32).reshape(-1, 2))
    _save(folder, "weights", np.asarray([edge.weight for edge in graph.edges], np.float32))
    _spans(folder, "node", graph.node_spans)
    _spans(folder, "edge", graph.edge_spans)
    _incidence(folder, graph)
    _adjacency(folder, graph)
    _names(folder, graph)
    if vectors is not None:
        _save(folder, "vectors", vectors)
    return facts


def _save(folder: Path, name: str, values: NDArray) -> None:  # type: ignore[type-arg]
    np.save(folder / f"{name}.npy", values)


def _lines(folder: Path, kind: str, records: Iterable[msgspec.Struct]) -> None:
    offsets = [0]
    with (folder / f"{kind}s.jsonl").open("wb") as out:
        for record in records:
            line = msgspec.json.encode(record) + b"\n"
            out.write(line)
            offsets.append(offsets[-1] + len(line))
    _save(folder, f"{kind}_lines", np.asarray(offsets, np.int64))


def _spans(folder: Path, kind: str, spans: Sequence[Sequence[Span]]) -> None:
    every = [span for some in spans for span in some]
    _save(folder, f"{kind}_spans", np.asarray(every, np.int32).reshape(-1, 3))
    _save(folder, f"{kind}_ptr", _pointers(map(len, spans)))


def _pointers(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(list(lengths), dtype=np.int64)]).astype(np.int64)


def _incidence(folder: Path, graph: Folded) -> None:
    by_node = [sorted(Counter(span[0] for span in spans).items()) for spans in graph.node_spans]
    flat = [(row, node, count) for node, rows in enumerate(by_node) for row, count in rows]
    _save(folder, "node_row_ptr", _pointers(map(len, by_node)))
    _save(folder, "node_rows", np.asarray([row for row, _, _ in flat], np.int32))
    _save(folder, "node_counts", np.asarray([count for _, _, count in flat], np.int32))
    flat.sort()
    lengths = np.bincount([row for row, _, _ in flat], minlength=graph.rows) if flat else None
    _save(folder, "row_ptr", _pointers([0] * graph.rows if lengths is None else lengths))
    _save(folder, "row_nodes", np.asarray([node for _, node, _ in flat], np.int32))
    _save(folder, "row_counts", np.asarray([count for _, _, count in flat], np.int32))


def _adjacency(folder: Path, graph: Folded) -> None:
    seen = sorted(
        end
        for place, edge in enumerate(graph.edges)
        for end in ((edge.source, edge.target, place), (edge.target, edge.source, place))
    )
    lengths = Counter(node for node, _, _ in seen)
    _save(folder, "adj_ptr", _pointers(lengths[node] for node in range(len(graph.nodes))))
    _save(folder, "adj_nodes", np.asarray([other for _, other, _ in seen], np.int32))
    _save(folder, "adj_edges", np.asarray([edge for _, _, edge in seen], np.int32))


def _names(folder: Path, graph: Folded) -> None:
    keys = {
        (hash_of(key), place)
        for place, node in enumerate(graph.nodes)
        for key in map(name_key, node.aliases)
        if key
    }
    found = sorted(keys)
    _save(folder, "names", np.asarray([key for key, _ in found], np.uint64))
    _save(folder, "name_nodes", np.asarray([place for _, place in found], np.int32))
