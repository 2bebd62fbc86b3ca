"""Conditions as trees.

Logic of three values, as in SQL: a comparison with a field that a document lacks (or that is null) is
unknown, ``not`` leaves it unknown, and a document is let through only by what is true. So a missing
field never lets a document through, save by ``not exists(field)`` or the other side of an ``or``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from index.where.values import Truth, Value, any_of, compare, contains, negated

Lookup = Callable[[str], object]  # a field's value by its folded name; None where it is missing


class Node(Protocol):
    """A condition."""

    def truth(self, lookup: Lookup) -> Truth:
        """What it says of one document."""
        ...


@dataclass(frozen=True, slots=True)
class Or:
    """True where one of its parts is."""

    parts: tuple[Node, ...]

    def truth(self, lookup: Lookup) -> Truth:
        """See `Node`."""
        return any_of(part.truth(lookup) for part in self.parts)


@dataclass(frozen=True, slots=True)
class And:
    """True where all of its parts are."""

    parts: tuple[Node, ...]

    def truth(self, lookup: Lookup) -> Truth:
        """See `Node`."""
        unknown = False
        for part in self.parts:
            truth = part.truth(lookup)
            if truth is False:
                return False
            unknown = unknown or truth is None
        return None if unknown else True


@dataclass(frozen=True, slots=True)
class Not:
    """True where its part is false."""

    part: Node

    def truth(self, lookup: Lookup) -> Truth:
        """See `Node`."""
        return negated(self.part.truth(lookup))


@dataclass(frozen=True, slots=True)
class Compare:
    """``field sign value``."""

    field: str
    sign: str
    value: Value

    def truth(self, lookup: Lookup) -> Truth:
        """See `Node`."""
        found = lookup(self.field)
        return None if found is None else compare(found, self.sign, self.value)


@dataclass(frozen=True, slots=True)
class In:
    """``field in (values)``: it equals one of them."""

    field: str
    values: tuple[Value, ...]

    def truth(self, lookup: Lookup) -> Truth:
        """See `Node`."""
        found = lookup(self.field)
        if found is None:
            return None
        return any_of(compare(found, "=", value) for value in self.values)


@dataclass(frozen=True, slots=True)
class Contains:
    """``field contains value``."""

    field: str
    value: Value

    def truth(self, lookup: Lookup) -> Truth:
        """See `Node`."""
        found = lookup(self.field)
        return None if found is None else contains(found, self.value)


@dataclass(frozen=True, slots=True)
class Exists:
    """``exists(field)``."""

    field: str

    def truth(self, lookup: Lookup) -> Truth:
        """See `Node`; never unknown."""
        return lookup(self.field) is not None
