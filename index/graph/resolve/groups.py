"""Joins atoms into groups, some of which must stay apart."""

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Groups(Generic[T]):
    """Disjoint sets; `apart` says which two sets may never be one."""

    def __init__(self, members: Iterable[T], apart: Callable[[list[T], list[T]], bool]) -> None:
        self._of = {one: one for one in members}
        self._members = {one: [one] for one in self._of}
        self._apart = apart

    def leader(self, one: T) -> T:
        """What stands for the set of a member."""
        while self._of[one] != one:
            self._of[one] = self._of[self._of[one]]
            one = self._of[one]
        return one

    def together(self, one: T, other: T) -> bool:
        """Whether two are in one set."""
        return self.leader(one) == self.leader(other)

    def join(self, one: T, other: T, *, insist: bool = False) -> bool:
        """Make one set of the sets of two; False where they are to stay apart and nobody insists."""
        a, b = self.leader(one), self.leader(other)
        if a == b:
            return True
        if not insist and self._apart(self._members[a], self._members[b]):
            return False
        if len(self._members[a]) < len(self._members[b]):
            a, b = b, a
        self._of[b] = a
        self._members[a] += self._members.pop(b)
        return True

    def members(self, one: T) -> list[T]:
        """The set of a member."""
        return self._members[self.leader(one)]

    def sets(self) -> list[list[T]]:
        """All sets."""
        return list(self._members.values())
