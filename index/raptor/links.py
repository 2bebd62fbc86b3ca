"""Who is below whom: read from arrays alone, fit for a query."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from index.raptor.project import Rows
from index.raptor.state import ForestEntry, read_entry


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The nodes of a forest by place: 0 to m - 1, in the order of the component's derived chunks."""

    entry: ForestEntry
    tops: Rows  # places of nodes that nothing is above, rising
    levels: Rows  # (m,), from 1
    trees: Rows  # (m,): which of the forest's trees each belongs to
    members: Rows  # (s,): leaf rows for level 1, places of nodes above it
    offsets: Rows  # (m + 1,) into `members`

    def __len__(self) -> int:
        return len(self.levels)

    def below(self, place: int) -> Rows:
        """What a node is a summary of: leaf rows where its level is 1, else places of nodes."""
        return self.members[self.offsets[place] : self.offsets[place + 1]]


def read_links(folder: Path) -> Links | None:
    """The links of the forest in a component's folder; None where this version cannot read it."""
    entry = read_entry(folder)
    if entry is None:
        return None
    members: Rows = np.load(folder / "members.npy")
    offsets: Rows = np.load(folder / "members_offsets.npy")
    levels: list[int] = []
    trees: list[int] = []
    tops: list[int] = []
    place = 0
    for number, tree in enumerate(entry.trees):
        below = 0
        for level, layer in enumerate(tree.layers, 1):
            levels += [level] * layer.clusters
            trees += [number] * layer.clusters
            if level > 1:
                members[offsets[place] : offsets[place + layer.clusters]] += below
            below, place = place, place + layer.clusters
        tops += range(below, place)
    return Links(
        entry,
        np.asarray(tops, np.int64),
        np.asarray(levels, np.int64),
        np.asarray(trees, np.int64),
        members,
        offsets,
    )
