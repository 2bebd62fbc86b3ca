"""Which entities a leaf is about: those that its document, its section or its first line is called by."""

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from index.chunk_table import ChunkTable
from index.graph.names import hash_of, name_key
from index.graph.reader import FoldedGraph
from kb.records import Chunk

_LONGEST = 100  # characters of a line that can be a title
_ASIDE = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")  # "Mercury (planet)" is about Mercury
_MARKUP = re.compile(r"^[#=*_\s]+|[#=*_\s]+$")
_SENTENCE = re.compile(r"[.!?;:,]\s*$")


def titles(chunk: Chunk, before: Chunk | None) -> Iterator[str]:
    """What a leaf is called by, if it is where its document or section begins.

    Args:
        chunk: the leaf.
        before: the leaf of the row before, if any.
    """
    first = before is None or before.doc_id != chunk.doc_id
    if first and chunk.title:
        yield chunk.title
    if chunk.heading and (first or before is None or before.heading != chunk.heading):
        yield chunk.heading[-1]
    line, _, rest = chunk.text.lstrip().partition("\n")
    if first and rest.strip() and len(line) <= _LONGEST and not _SENTENCE.search(line):
        yield line


def name_of(title: str) -> str:
    """A title without markup, and without what tells it from its namesakes."""
    bare = _MARKUP.sub("", title)
    return _ASIDE.sub("", bare) or bare


def about(table: ChunkTable, graph: FoldedGraph) -> NDArray[np.int64]:
    """Leaf row and node of each title that is an entity's name, int64 (p, 2), rising."""
    rows: list[int] = []
    hashes: list[int] = []
    before: Chunk | None = None
    for row, chunk in enumerate(table):
        names = {key for t in titles(chunk, before) for key in (name_key(t), name_key(name_of(t)))}
        rows += [row] * len(names)
        hashes += [hash_of(key) for key in sorted(names)]
        before = chunk
    pairs = {
        (row, node)
        for row, nodes in zip(rows, graph.with_hashes(hashes), strict=True)
        for node in nodes
    }
    return np.asarray(sorted(pairs), np.int64).reshape(-1, 2)
