"""What a user decided about names: kept in the store, stronger than any rule."""

from collections.abc import Iterable

import msgspec

MERGE, SPLIT, PART = "merge", "split", "part"


class Decision(msgspec.Struct, frozen=True):
    """What is to hold of one name, or of two."""

    kind: str  # merge: both are one thing; split: it meets no other name; part: nor other documents
    one: str  # a name's key
    other: str = ""  # merge only


class Decided:
    """Decisions as they stand together; a later one overrules what an earlier one said of its names."""

    def __init__(self, decisions: Iterable[Decision] = ()) -> None:
        self.merged: set[frozenset[str]] = set()
        self.alone: set[str] = set()  # keys that meet no other key
        self.parted: set[str] = set()  # keys of which each document's stands by itself
        for decision in decisions:
            names = {decision.one, decision.other} - {""}
            if decision.kind == MERGE:
                self.merged.add(frozenset(names))
                self.alone -= names
                self.parted -= names
            else:
                self.merged = {pair for pair in self.merged if decision.one not in pair}
                self.alone.add(decision.one)
                if decision.kind == PART:
                    self.parted.add(decision.one)


def in_words(decision: Decision) -> str:
    """A decision, for people."""
    if decision.kind == MERGE:
        return f"{decision.one!r} and {decision.other!r} are one"
    if decision.kind == SPLIT:
        return f"{decision.one!r} stands by itself"
    return f"{decision.one!r} is another in each document"
