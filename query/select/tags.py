"""Weights of candidates by the tags of their documents."""

from bisect import bisect_right
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from index.chunk_table import ChunkTable
from index.where.values import fold
from query.select.boost import weight_of


def tag_weights(
    chunks: ChunkTable, rows: NDArray[np.int64], weights: Mapping[str, float]
) -> NDArray[np.float64]:
    """The weight of each row's document, float64 (len(rows),).

    Tags are the document's own and its source's; case does not matter, as in ``--tag``. The highest
    weight of a document's tags counts, and none is 0.
    """
    folded = {fold(tag.strip()): weight for tag, weight in weights.items()}
    firsts = [document.first for document in chunks.documents]
    of_document: dict[int, float] = {}
    found = []
    for row in rows.tolist():
        at = bisect_right(firsts, row) - 1
        if at not in of_document:
            tags = map(fold, chunks.documents[at].about.tags)
            of_document[at] = weight_of(tags, folded)
        found.append(of_document[at])
    return np.asarray(found, np.float64)
