"""A forest on disk: plain arrays and JSON.

``forest.json``: what it was made with, its trees, their layers and the way to each cluster;
``nodes.jsonl``: a summary a line, by tree, level and number; ``vectors.npy``: theirs, float32 (m, d);
``members.npy`` int64 (s,), ``shares.npy`` float32 (s,), ``homes.npy`` bool (s,) and
``members_offsets.npy`` int64 (m + 1,): the members of each, leaf rows on the first level and numbers of
clusters above it; ``leaves.npy`` S32 (n,): `index.raptor.nodes.leaf_key` by row; ``axes.npy`` and
``clouds.npy``: see `index.raptor.ways`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import DTypeLike, NDArray

from index.raptor.division import Arrivals
from index.raptor.layer import Layer
from index.raptor.nodes import Node
from index.raptor.project import Rows, Vectors
from index.raptor.tree import Forest, Tree
from index.raptor.ways import Step, Ways, read_way
from index.vectors import open_vectors, write_vectors
from kb.records import Quote

VERSION = 1
_KEY = np.dtype("S32")


class LayerEntry(msgspec.Struct, frozen=True):
    """A layer without its members."""

    clusters: int
    way: int | Step
    fitted: int
    changed: int
    astray: float


class TreeEntry(msgspec.Struct, frozen=True):
    """A tree without its members."""

    scope: str
    leaves: int
    layers: tuple[LayerEntry, ...]


class ForestEntry(msgspec.Struct, frozen=True):
    """What ``forest.json`` holds."""

    version: int
    fingerprint: str  # of the embedder
    shape: str  # digest of all that structure depends on besides the leaves
    scope: str
    summarizer: str
    leaves: int  # in the generation; those alone in their scope are in no tree
    drift: float
    trees: tuple[TreeEntry, ...]


class NodeEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of ``nodes.jsonl``."""

    key: str
    id: str
    text: str
    tokens: int
    quotes: tuple[Quote, ...] = ()
    stood_in: str = ""
    pending: bool = False


_decode_node = msgspec.json.Decoder(NodeEntry).decode


def write_forest(
    folder: Path, forest: Forest, entry: ForestEntry, keys: Sequence[str], dimension: int
) -> None:
    """Write a forest; of `entry` the trees are filled in here.

    Args:
        folder: empty.
        forest: with numbers from 0 on in each layer.
        entry: what else is known.
        keys: of the leaves, by row.
        dimension: of the vectors.
    """
    ways = Ways()
    trees = tuple(
        TreeEntry(
            tree.scope,
            len(tree.layers[0].members),
            tuple(_layer_entry(layer, ways) for layer in tree.layers),
        )
        for tree in forest.trees
    )
    (folder / "forest.json").write_bytes(
        msgspec.json.encode(msgspec.structs.replace(entry, trees=trees))
    )
    ways.save(folder)
    with (folder / "nodes.jsonl").open("wb") as out:
        for *_, node in forest.each():
            out.write(msgspec.json.encode(_node_entry(node)) + b"\n")
    clusters = [tree.layers[level].clusters[n] for tree, level, n, _ in forest.each()]
    np.save(folder / "members.npy", _flat([c.rows for c in clusters], np.dtype(np.int64)))
    np.save(folder / "shares.npy", _flat([c.share for c in clusters], np.dtype(np.float32)))
    np.save(folder / "homes.npy", _flat([c.home for c in clusters], np.dtype(np.bool_)))
    offsets = np.cumsum([0, *map(len, clusters)], dtype=np.int64)
    np.save(folder / "members_offsets.npy", offsets)
    np.save(folder / "leaves.npy", np.asarray(keys, _KEY))
    vectors = (node.vector[None] for *_, node in forest.each())
    write_vectors(folder / "vectors.npy", vectors, len(clusters), dimension)


@dataclass(slots=True)
class State:
    """A forest read again."""

    entry: ForestEntry
    forest: Forest
    keys: list[str] = field(default_factory=list)  # of the leaves it was made of, by row


def read_forest(folder: Path) -> State:
    """Read what `write_forest` wrote."""
    entry = msgspec.json.decode((folder / "forest.json").read_bytes(), type=ForestEntry)
    keys: list[str] = np.load(folder / "leaves.npy").astype(str).tolist()
    reading = _Reading(folder)
    trees = [reading.tree(tree) for tree in entry.trees]
    return State(entry, Forest(trees), keys)


def read_entry(folder: Path) -> ForestEntry | None:
    """What is known of the forest as a whole; None where this version cannot read it."""
    try:
        entry = msgspec.json.decode((folder / "forest.json").read_bytes(), type=ForestEntry)
    except (OSError, msgspec.MsgspecError):
        return None
    return entry if entry.version == VERSION else None


def read_nodes(folder: Path) -> Iterator[NodeEntry]:
    """The summaries, in order, without their vectors."""
    with (folder / "nodes.jsonl").open("rb") as lines:
        yield from map(_decode_node, lines)


class _Reading:
    """Hands out nodes and clusters in the order they were written."""

    def __init__(self, folder: Path) -> None:
        self._axes, self._clouds = np.load(folder / "axes.npy"), np.load(folder / "clouds.npy")
        self._nodes = self._read_nodes(folder)
        self._clusters = self._read_clusters(folder)

    def tree(self, entry: TreeEntry) -> Tree:
        tree = Tree(entry.scope)
        for layer in entry.layers:
            numbers = range(layer.clusters)
            clusters = {number: next(self._clusters) for number in numbers}
            way = read_way(layer.way, self._axes, self._clouds)
            tree.layers.append(
                Layer(way, clusters, layer.clusters, layer.fitted, layer.changed, layer.astray)
            )
            tree.nodes.append({number: next(self._nodes) for number in numbers})
        return tree

    @staticmethod
    def _read_nodes(folder: Path) -> Iterator[Node]:
        vectors: Vectors = open_vectors(folder / "vectors.npy")
        for one, vector in zip(read_nodes(folder), vectors, strict=True):
            yield Node(
                one.key,
                one.id,
                one.text,
                one.quotes,
                one.tokens,
                one.stood_in,
                one.pending,
                vector,
            )

    @staticmethod
    def _read_clusters(folder: Path) -> Iterator[Arrivals]:
        rows: Rows = np.load(folder / "members.npy")
        shares = np.load(folder / "shares.npy").astype(np.float64)
        homes = np.load(folder / "homes.npy")
        offsets = np.load(folder / "members_offsets.npy").tolist()
        for first, end in pairwise(offsets):
            yield Arrivals(rows[first:end], shares[first:end], homes[first:end])


def _layer_entry(layer: Layer, ways: Ways) -> LayerEntry:
    way = ways.add(layer.way)
    return LayerEntry(len(layer.clusters), way, layer.fitted, layer.changed, layer.astray)


def _node_entry(node: Node) -> NodeEntry:
    return NodeEntry(
        node.key, node.id, node.text, node.tokens, node.quotes, node.stood_in, node.pending
    )


def _flat(parts: Sequence[NDArray[Any]], kind: DTypeLike) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)
