"""Which atoms are one entity.

Rules propose pairs, the surest first and each rule's in order of their ids, so that neither the order of
documents nor that of chunks has a part in the result. What two atoms must not share (a user's split, two
callings) is looked at whenever two groups are to meet.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

import numpy as np
from numpy.typing import NDArray

from index.graph.resolve import forms, meaning, namesakes, people_names
from index.graph.resolve.atoms import Atom, AtomKey
from index.graph.resolve.decisions import Decided
from index.graph.resolve.groups import Groups
from index.graph.resolve.view import View

VERSION = 1  # raised when the same atoms may be joined in another way
Embed = Callable[[Sequence[str]], NDArray[np.float32]]
_RULES: tuple[Callable[[View], Iterator[tuple[AtomKey, AtomKey]]], ...] = (
    forms.said_the_same,
    forms.spelled_out,
    people_names.initials,
    people_names.longer_forms,
    people_names.short_forms,
    forms.with_designator,
    forms.people_of,
)


def resolve(
    atoms: Mapping[AtomKey, Atom], decided: Decided, embed: Embed | None = None
) -> list[list[AtomKey]]:
    """The atoms of each entity, sorted.

    Args:
        atoms: all of them.
        decided: by the user.
        embed: texts to unit vectors, float32 (m, d); used only where an LLM described the entities.
    """
    clashes = namesakes.clashes(atoms)
    groups = Groups(sorted(atoms), lambda a, b: _apart(a, b, decided, clashes))
    view = View(atoms, groups)
    for one, other in _merged(view, decided):
        groups.join(one, other, insist=True)
    _join(groups, namesakes.same_name(view))
    for rule in _RULES:
        _join(groups, sorted(rule(view)))
    _join(groups, namesakes.left_over(view))
    if embed is not None:
        for pairs in meaning.rounds(view, embed):
            for one, other in pairs:
                if not view.related(one, other):
                    groups.join(one, other)
    return sorted(sorted(group) for group in groups.sets())


def _apart(
    some: list[AtomKey],
    others: list[AtomKey],
    decided: Decided,
    clashes: Mapping[AtomKey, Set[AtomKey]],
) -> bool:
    if decided.alone:
        keys, more = {one[0] for one in some}, {one[0] for one in others}
        if keys != more and not decided.alone.isdisjoint(keys | more):
            return True
        if not decided.parted.isdisjoint(keys):
            return {one[1] for one in some} != {one[1] for one in others}
    if not clashes:
        return False
    return any(not clashes[one].isdisjoint(others) for one in some if one in clashes)


def _join(groups: Groups[AtomKey], pairs: Iterable[tuple[AtomKey, AtomKey]]) -> None:
    for one, other in pairs:
        groups.join(one, other)


def _merged(view: View, decided: Decided) -> Iterator[tuple[AtomKey, AtomKey]]:
    for pair in sorted(map(sorted, decided.merged)):
        every = [atom for key in pair for atom in view.with_key(key)]
        yield from ((every[0], other) for other in every[1:])
