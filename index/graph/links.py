"""Leaves and entities as one network to walk on, with the chances to go from one to the other.

From a leaf a walk goes to an entity by its IDF, ln(n / df): a name that everything bears leads nowhere in
particular. One that only this leaf bears leads nowhere at all, and a common noun counts a quarter. Where all
that a leaf names tells less than one name that two leaves bear, walks end there in proportion. From an
entity it goes to the leaves that name it, and three times as likely to one that is about it.

Files beside the graph's, for either side: ``SIDE_ptr.npy`` int64, ``SIDE_to.npy`` int32 and
``SIDE_share.npy`` float32; SIDE is ``from_leaf`` or ``from_entity``.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.chunk_table import ChunkTable
from index.graph.about import about
from index.graph.extract.phrases import TYPE as TERM
from index.graph.reader import FoldedGraph

Ints = NDArray[np.int64]
_ABOUT = 3.0  # what being about an entity counts, where naming it counts 1
_NOUN = 0.25  # what a common noun counts, where a name counts 1
_ARRAYS = ("ptr", "to", "share")  # fields of `Side`


class Side(NamedTuple):
    """The ways from each place of one side, as CSR; the shares of each place sum to 1 at most."""

    ptr: Ints
    to: NDArray[np.int32]
    share: NDArray[np.float32]


class Links(NamedTuple):
    """Both sides, memory-mapped."""

    from_leaf: Side
    from_entity: Side


def write_links(folder: Path, table: ChunkTable, graph: FoldedGraph) -> None:
    """Make the network of the graph in `folder`, whose leaves are in `table`."""
    leaves, nodes = graph.facts.rows, len(graph)
    cells, titled = _cells(graph, about(table, graph))
    rows, named = cells // max(nodes, 1), cells % max(nodes, 1)
    df = np.bincount(named, minlength=nodes)
    idf = np.where(df > 1, np.log(leaves / np.maximum(df, 1)), 0.0)
    idf *= [_NOUN if graph.node(node).type == TERM else 1.0 for node in range(nodes)]
    weights = np.where(titled, _ABOUT, 1.0)
    order = np.lexsort((rows, named))
    telling = float(np.log(max(leaves, 2) / 2))  # the IDF of a name that two leaves bear
    _write(folder, "from_leaf", _side(rows, named, idf[named], leaves, telling))
    _write(folder, "from_entity", _side(named[order], rows[order], weights[order], nodes, 0.0))


def read_links(folder: Path) -> Links:
    """What `write_links` wrote."""
    return Links(*(_read(folder, name) for name in Links._fields))


def _cells(graph: FoldedGraph, titles: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Row · n + node of each leaf and entity that it names or is about, rising; and which are the latter."""
    nodes = len(graph)
    pointers, named, _ = graph.incidence
    rows = np.repeat(np.arange(graph.facts.rows, dtype=np.int64), np.diff(pointers))
    about_cells = titles[:, 0] * nodes + titles[:, 1]
    cells = np.union1d(rows * nodes + named, about_cells)
    return np.asarray(cells, np.int64), np.isin(cells, about_cells)


def _side(source: Ints, to: Ints, weights: NDArray[np.float64], count: int, least: float) -> Side:
    """The ways with their shares of all weight at their place, or of `least` where that is more."""
    kept = weights > 0
    source, to, weights = source[kept], to[kept], weights[kept]
    totals = np.maximum(np.bincount(source, weights, count), least)
    sizes = np.bincount(source, minlength=count)
    pointers = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Side(pointers, to.astype(np.int32), (weights / totals[source]).astype(np.float32))


def _write(folder: Path, name: str, side: Side) -> None:
    for part in _ARRAYS:
        np.save(folder / f"{name}_{part}.npy", getattr(side, part))


def _read(folder: Path, name: str) -> Side:
    return Side(*(np.load(folder / f"{name}_{part}.npy", mmap_mode="r") for part in _ARRAYS))
