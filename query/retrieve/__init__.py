"""Retrieval legs by name, and which of them each mode asks."""

from collections.abc import Mapping

from query.retrieve.base import Leg
from query.retrieve.dense import dense
from query.retrieve.sparse import sparse

LEGS: Mapping[str, Leg] = {"dense": dense, "sparse": sparse}
MODES: Mapping[str, tuple[str, ...]] = {
    "dense": ("dense",),
    "sparse": ("sparse",),
    "hybrid": ("dense", "sparse"),
    "auto": ("dense", "sparse"),  # whichever of the others it comes to
    "tree": ("dense", "sparse"),
    "graph": ("dense", "sparse"),
}
DERIVED_MODES = frozenset({"auto", "tree", "graph"})  # in which derived chunks can answer
LINKED_MODES = frozenset({"hybrid", "graph"})  # in which the graph leads on from the best hits
