"""Which entities a question names."""

import re

import numpy as np
from numpy.typing import NDArray

from index.graph.names import hash_of, name_key
from index.graph.reader import FoldedGraph
from query.graph.walk import NOWHERE, Mass

_WORD = re.compile(r"[^\s,;:!?¿¡()\[\]{}\"“”«»]+")
_LONGEST = 8  # words of a name
_NEAR = 3  # entities whose name and description are like the question


def named(question: str, graph: FoldedGraph) -> list[int]:
    """The nodes that a question names, by any of their aliases, in order.

    The longest name counts that begins at a word: "New York Times" is not also New York.
    """
    words = list(_WORD.finditer(question))
    spans = [
        (first, end)
        for first in range(len(words))
        for end in range(min(first + _LONGEST, len(words)), first, -1)
    ]
    texts = [
        question[words[first].start() : words[end - 1].end()].rstrip(".") for first, end in spans
    ]
    nodes = graph.with_hashes(hash_of(name_key(text)) for text in texts)
    found: list[int] = []
    behind = 0
    for (first, end), those in zip(spans, nodes, strict=True):
        if those and first >= behind:
            found += [node for node in those if node not in found]
            behind = end
    return found


def alike(vector: NDArray[np.float32], graph: FoldedGraph) -> list[int]:
    """The nodes whose name and description are nearest to a question's vector; none by rules."""
    if graph.vectors is None:
        return []
    near = graph.vectors @ vector
    return [int(node) for node in np.argsort(-near, kind="stable")[:_NEAR]]


def seeds(nodes: list[int], graph: FoldedGraph, share: float) -> Mass:
    """Walks that begin at entities: rarer ones get more of the share, by IDF.

    ln(1 + n / df), with n leaves of which df name the entity.
    """
    if not nodes:
        return NOWHERE
    df = np.asarray([max(len(graph.rows_of(node)[0]), 1) for node in nodes])
    idf = np.log1p(graph.facts.rows / df)
    return Mass.of(np.asarray(nodes, np.int64), share * idf / idf.sum())
