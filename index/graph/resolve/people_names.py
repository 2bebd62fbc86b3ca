"""Short forms of people's names: "Mercer" and "A. Mercer" beside "Alex Mercer"."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from index.graph.extract.capitals import is_acronym
from index.graph.extract.words import EVENTS, ORGANIZATIONS, PLACES, WORKS
from index.graph.names import title_of
from index.graph.people import GIVEN
from index.graph.resolve.atoms import AtomKey
from index.graph.resolve.view import View
from index.graph.wordset import word_set

_PERSON = "person"
_THINGS = ORGANIZATIONS | PLACES | EVENTS | WORKS
_HE = word_set("mr sr señor don sir lord king rey prince principe father padre")
_SHE = word_set(
    """mrs ms miss sra srta señora señorita doña dame lady queen reina princess
    princesa"""
)
_MOST_WORDS = 5  # of a person's name


def is_full(view: View, key: str) -> bool:
    """Whether a key of two words or more reads as a person's full name."""
    words = key.split()
    if not 2 <= len(words) <= _MOST_WORDS or not _THINGS.isdisjoint((words[0], words[-1])):
        return False
    if view.is_common(key):
        return False
    known = view.type_of(key)
    if known:
        return known == _PERSON
    return words[0] in GIVEN or _PERSON in (view.type_of(words[0]), view.type_of(words[-1]))


def short_names(view: View) -> Mapping[str, set[str]]:
    """Keys that begin or end full names, and those names; of all documents together."""
    if view.short_names is None:
        found: dict[str, set[str]] = defaultdict(set)
        known = set(view.keys)
        for key in view.keys:
            if is_full(view, key):
                for short in _shorter(key):
                    if short in known and _may_be_short(view, short):
                        found[short].add(key)
        view.short_names = dict(found)
    return view.short_names


def _may_be_short(view: View, key: str) -> bool:
    """Whether a key may be a person's: it is no acronym, and called nothing else."""
    if view.type_of(key) not in ("", _PERSON):
        return False
    return not any(
        is_acronym(name) for atom in view.with_key(key) for name in view.atoms[atom].names
    )


def longer_forms(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """As `short_forms`, for names of two words and more: they are full names, too."""
    return _short_forms(view, lambda short: " " in short)


def short_forms(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """A single word and the one person whose name begins or ends so.

    A short form and the one person of its document whose name begins or ends so.

    Where its document has none, the one person of all documents who shares a neighbour with it. Where there
    are two, it stays by itself.
    """
    return _short_forms(view, lambda short: " " not in short)


def _short_forms(view: View, wanted: Callable[[str], bool]) -> Iterator[tuple[AtomKey, AtomKey]]:
    for short, full in sorted(short_names(view).items()):
        if not wanted(short):
            continue
        everywhere = [atom for key in sorted(full) for atom in view.with_key(key)]
        for atom in view.with_key(short):
            here = [other for other in everywhere if other[1] == atom[1]]
            if not here:
                near = view.near(atom) - {short}
                here = [other for other in everywhere if not near.isdisjoint(view.near(other))]
            candidates = view.groups_of(other for other in here if _agree(view, atom, other))
            if len(candidates) == 1:
                yield atom, next(iter(candidates.values()))


def initials(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """Names of which one, as "J. K. Rowling" or "John H. Smith", has initials for words of the other."""
    by_last: dict[str, list[str]] = defaultdict(list)
    for key in view.keys:
        if 2 <= len(key.split()) <= _MOST_WORDS and view.type_of(key) in ("", _PERSON):
            by_last[key.split()[-1]].append(key)
    for keys in by_last.values():
        short = [key for key in keys if any(len(word) == 1 for word in key.split()[:-1])]
        for key in short:
            full = [other for other in keys if other != key and _stands_for(key, other)]
            yield from _only_one(view, key, full)


def _only_one(view: View, key: str, full: Sequence[str]) -> Iterator[tuple[AtomKey, AtomKey]]:
    atoms = [atom for other in full for atom in view.with_key(other)]
    for atom in view.with_key(key):
        here = [other for other in atoms if other[1] == atom[1]] or [
            other for other in atoms if not view.near(atom).isdisjoint(view.near(other))
        ]
        candidates = view.groups_of(here)
        if len(candidates) == 1:
            yield atom, next(iter(candidates.values()))


def _stands_for(short: str, full: str) -> bool:
    """Whether each word before the last is the other's, its initial, or a middle name left out."""
    few, more = short.split()[:-1], full.split()[:-1]
    if not few or not more or few[0][0] != more[0][0]:
        return False
    if len(few[0]) > 1 and len(more[0]) > 1 and few[0] != more[0]:
        return False
    rest = iter(more[1:])
    return len(more) == 1 or all(
        any(word[0] == one[0] and (len(one) == 1 or one == word) for word in rest)
        for one in few[1:]
    )


def _shorter(key: str) -> Iterator[str]:
    words = key.split()
    for count in range(1, len(words)):
        yield " ".join(words[:count])
        yield " ".join(words[-count:])


def _agree(view: View, one: AtomKey, other: AtomKey) -> bool:
    """False where one is called Mr and the other Mrs."""
    titles = [
        {title_of(name) for atom in view.groups.members(each) for name in view.atoms[atom].names}
        for each in (one, other)
    ]
    she, he = (_SHE, _HE)
    return not any(
        not a.isdisjoint(she) and a.isdisjoint(he) and not b.isdisjoint(he) and b.isdisjoint(she)
        for a, b in (titles, titles[::-1])
    )
