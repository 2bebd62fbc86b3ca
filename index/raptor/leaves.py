"""What trees need to know of all leaves; their texts are read one at a time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from index.raptor.nodes import leaf_key
from index.raptor.project import Rows, Vectors
from kb.records import Chunk

_KEPT = 256  # leaves that are kept decoded


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The chunks of a generation, by row."""

    ids: list[str]
    keys: list[str]  # see `leaf_key`
    tokens: Rows  # (n,)
    languages: list[str]
    scopes: list[str]  # name of the tree that each belongs to
    vectors: Vectors  # (n, d)
    at: Callable[[int], Chunk]

    def __len__(self) -> int:
        return len(self.ids)


def look_over(
    chunks: Iterable[Chunk], at: Callable[[int], Chunk], vectors: Vectors, scope: str
) -> Leaves:
    """Read the leaves once.

    Args:
        chunks: in row order.
        at: gives the chunk of a row.
        vectors: float32 (n, d), may be memory-mapped.
        scope: ``corpus``, ``folder`` or ``document``.
    """
    ids, keys, tokens, languages, scopes = [], [], [], [], []
    for chunk in chunks:
        ids.append(chunk.id)
        keys.append(leaf_key(chunk))
        tokens.append(chunk.tokens or 1 + len(chunk.text) // 4)
        languages.append(chunk.language)
        scopes.append(scope_of(chunk.path, scope))
    kept = lru_cache(_KEPT)(at)
    return Leaves(ids, keys, np.asarray(tokens, np.int64), languages, scopes, vectors, kept)


def scope_of(path: str, scope: str) -> str:
    """The name of the tree that a document's chunks belong to."""
    if scope == "corpus":
        return ""
    return path if scope == "document" else path.rpartition("/")[0] or "."
