"""What a user decided about names: kept in the store, stronger than any rule."""

from collections.abc import Iterable

import msgspec

MERGE, SPLIT = "merge", "split"


class Decision(msgspec.Struct, frozen=True):
    """Two names are one thing, or a name stands by itself."""

    kind: str  # merge or split
    one: str  # a name's key
    other: str = ""  # merge only


class Decided:
    """Decisions as they stand together; a later one overrules what an earlier one said of its names."""

    def __init__(self, decisions: Iterable[Decision] = ()) -> None:
        self.merged: set[frozenset[str]] = set()
        self.alone: set[str] = set()  # keys that meet no other key
        for decision in decisions:
            if decision.kind == MERGE:
                self.merged.add(frozenset((decision.one, decision.other)))
                self.alone -= {decision.one, decision.other}
            else:
                self.merged = {pair for pair in self.merged if decision.one not in pair}
                self.alone.add(decision.one)
