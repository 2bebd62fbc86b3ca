"""What one document says under one name: the smallest thing that is joined to others or kept apart."""

from collections import Counter
from dataclasses import dataclass, field

AtomKey = tuple[str, str, str]  # name's key, document, calling


@dataclass(slots=True)
class Atom:
    """A name's mentions in one document."""

    key: str
    document: str
    calling: str = ""  # what tells namesakes of one document apart, or is known of this one
    names: Counter[str] = field(default_factory=Counter)  # as written
    types: Counter[str] = field(default_factory=Counter)
    descriptions: Counter[str] = field(default_factory=Counter)
    places: set[tuple[int, int, int]] = field(default_factory=set)  # row, start, end
    near: set[str] = field(default_factory=set)  # keys of names in its sentences and relations
    same: set[str] = field(default_factory=set)  # keys that a chunk says are the same
    related: set[str] = field(default_factory=set)  # keys that a typed relation links it to

    @property
    def id(self) -> AtomKey:
        """What it is found under; rows and order have no part in it."""
        return self.key, self.document, self.calling

    @property
    def words(self) -> tuple[str, ...]:
        """Of the key."""
        return tuple(self.key.split())

    @property
    def type(self) -> str:
        """The type most often given, the first of those in order of letters; "" for none."""
        return most_given(self.types)


def most_given(counts: Counter[str]) -> str:
    """The commonest of what is not empty; of equal ones the first in order of letters."""
    said = [(-number, what) for what, number in counts.items() if what]
    return min(said)[1] if said else ""
