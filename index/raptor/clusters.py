"""A level's clusters as a summariser is given them: made when they are read, not held."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

from index.raptor.leaves import Leaves
from index.raptor.members import Member
from index.raptor.nodes import Node, quotes_now
from index.raptor.project import Rows
from index.raptor.tree import spoken
from kb.records import Chunk


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """A summary of the level below, as a member of a cluster."""

    node: Node
    rows: Rows  # leaf rows under it


Cluster = Sequence[int | Said]  # leaf rows, or summaries


class Clusters(Sequence[Sequence[Member]]):
    """Members of each cluster in document order."""

    def __init__(
        self, clusters: Sequence[Cluster], leaves: Leaves, leaf: Callable[[str], Chunk]
    ) -> None:
        """Wrap `clusters`; `leaf` gives a leaf by its id."""
        self._clusters = clusters
        self._leaves = leaves
        self._leaf = leaf

    def __len__(self) -> int:
        return len(self._clusters)

    @overload
    def __getitem__(self, index: int) -> Sequence[Member]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Member]]: ...

    def __getitem__(self, index: int | slice) -> Sequence[Member] | Sequence[Sequence[Member]]:
        if isinstance(index, slice):
            return Clusters(self._clusters[index], self._leaves, self._leaf)
        return [self._member(one) for one in sorted(self._clusters[index], key=_place)]

    def _member(self, one: int | Said) -> Member:
        if isinstance(one, int):
            chunk = self._leaves.at(one)
            vector = self._leaves.vectors[one]
            return Member(chunk.id, chunk.text, chunk.language, (chunk.id,), (), chunk, vector)
        return Member(
            one.node.id,
            one.node.text,
            spoken(one.rows, self._leaves),
            tuple(self._leaves.ids[row] for row in one.rows.tolist()),
            quotes_now(one.node, self._leaf),
            None,
            one.node.vector,
        )


def _place(one: int | Said) -> tuple[int, str]:
    """Where a member's leaves begin; leaves are in document order."""
    return (one, "") if isinstance(one, int) else (int(one.rows[0]), one.node.id)
