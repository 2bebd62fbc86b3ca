"""One name, one entity; but where its callings clash and nothing else joins them, two."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from index.graph.resolve.atoms import Atom, AtomKey
from index.graph.resolve.people_names import short_names
from index.graph.resolve.view import View

_MOST = 400  # atoms of a name that are compared, each with each
_PERSON, _PLACES = "person", frozenset(["place", "organization", "event"])


def clashes(atoms: Mapping[AtomKey, Atom]) -> dict[AtomKey, set[AtomKey]]:
    """The atoms of one name that cannot be one entity, from both sides.

    Two callings clash where no other name is near both, or where one chunk itself tells them apart; a
    person clashes with a place of the same name in another document in the same way.
    """
    by_key: dict[str, list[AtomKey]] = defaultdict(list)
    for atom in sorted(atoms):
        by_key[atom[0]].append(atom)
    found: dict[AtomKey, set[AtomKey]] = defaultdict(set)
    for named in by_key.values():
        for one, other in _perhaps(atoms, named):
            if _clash(atoms[one], atoms[other]):
                found[one].add(other)
                found[other].add(one)
    return dict(found)


def _perhaps(
    atoms: Mapping[AtomKey, Atom], named: Sequence[AtomKey]
) -> Iterator[tuple[AtomKey, AtomKey]]:
    """Pairs of two callings, and of a person and a place, of a name that is not in too many documents."""
    called = [atom for atom in named if atom[2]]
    if 1 < len(called) <= _MOST:
        yield from (pair for pair in combinations(called, 2) if pair[0][2] != pair[1][2])
    people = [atom for atom in named if atoms[atom].type == _PERSON]
    places = [atom for atom in named if atoms[atom].type in _PLACES]
    if len(people) * len(places) <= _MOST * _MOST:
        yield from ((one, other) for one in people for other in places if one[1] != other[1])


def _clash(one: Atom, other: Atom) -> bool:
    rows = {place[0] for place in one.places} & {place[0] for place in other.places}
    return bool(rows) or one.near.isdisjoint(other.near)


def same_name(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """Pairs of atoms of one name, those with the same calling first.

    A short form of people's names is joined within each document only: there the document decides whom
    it means.
    """
    short = short_names(view)
    for key in view.keys:
        named = view.with_key(key)
        if len(named) > 1:
            yield from _within_documents(named) if key in short else _by_calling(view, named)


def left_over(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """Pairs of atoms of a short form that no document links to a full name."""
    for key in short_names(view):
        alone = [
            atom
            for atom in view.with_key(key)
            if all(member[0] == key for member in view.groups.members(atom))
        ]
        yield from _by_calling(view, alone)


def _within_documents(named: Sequence[AtomKey]) -> Iterator[tuple[AtomKey, AtomKey]]:
    first: dict[tuple[str, str], AtomKey] = {}
    for atom in named:
        yield first.setdefault(atom[1:], atom), atom


def _by_calling(view: View, named: Sequence[AtomKey]) -> Iterator[tuple[AtomKey, AtomKey]]:
    """Those with a calling among themselves; each other with the calling it has most names in common with.

    Where there are several callings and no name in common, such a one stays with its like.
    """
    by_calling: dict[str, list[AtomKey]] = defaultdict(list)
    for atom in named:
        by_calling[atom[2]].append(atom)
    plain = by_calling.pop("", [])
    for atoms in by_calling.values():
        yield from ((atoms[0], other) for other in atoms[1:])
    firsts = [atoms[0] for atoms in by_calling.values()]
    yield from combinations(firsts, 2)  # those that do not clash
    stay: list[AtomKey] = []
    for atom in plain:
        near = view.atoms[atom].near
        shared = {c: _shared(view, near, atoms) for c, atoms in by_calling.items()}
        most = max(shared.values(), default=0)
        best = [c for c, number in shared.items() if number == most]
        if len(best) == 1 and (most or len(by_calling) == 1):
            yield atom, by_calling[best[0]][0]
        else:
            stay.append(atom)
    yield from ((stay[0], other) for other in stay[1:])


def _shared(view: View, near: set[str], atoms: Sequence[AtomKey]) -> int:
    return len(near & {key for atom in atoms for key in view.atoms[atom].near})
