"""Other ways to write a name: said so by a text, acronyms, and a word for the kind of thing behind it."""

from collections import defaultdict
from collections.abc import Iterator

from index.graph.extract.acronyms import spells
from index.graph.extract.capitals import is_acronym
from index.graph.extract.words import PEOPLE
from index.graph.resolve.atoms import AtomKey
from index.graph.resolve.heads import is_common, parts, tail
from index.graph.resolve.view import View
from index.graph.wordset import word_set

_LEGAL = word_set(
    """inc ltd llc corp corporation company co gmbh ag plc sa sl slu sas limited incorporated
    compania"""
)
# What a thing is, said behind its name and changing nothing: Dulce base, Python language
_KINDS = word_set(
    """base complex facility site camp program programme platform system framework library app
    application tool engine project language software company corporation group"""
)


def said_the_same(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """Names of which a chunk says that they mean one thing.

    What several are said to be ("Ana is a nurse", "Luis is a nurse") is a kind, and nobody's name.
    """
    for one, atom in view.atoms.items():
        here = view.of_document(one[1])
        if len(atom.same) > 1 and is_common(atom):
            continue
        for key in sorted(atom.same):
            if any(
                len(view.atoms[x].same) > 1 and is_common(view.atoms[x]) for x in here.get(key, ())
            ):
                continue
            for other in here.get(key, ()):
                if _types_agree(view, one, other):
                    yield one, other


def spelled_out(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """An acronym and the one name of its document whose initials it has."""
    long: dict[str, dict[str, list[AtomKey]]] = defaultdict(lambda: defaultdict(list))
    for key in view.keys:
        words = key.split()
        if 2 <= len(words) <= 8:
            for atom in view.with_key(key):
                long[atom[1]]["".join(word[0] for word in words)].append(atom)
                large = [word for word in words if len(word) > 3]
                if len(large) < len(words):
                    long[atom[1]]["".join(word[0] for word in large)].append(atom)
    for one, short in view.atoms.items():
        if " " not in one[0] and 3 <= len(one[0]) <= 8 and all(map(is_acronym, short.names)):
            candidates = view.groups_of(
                other
                for other in long[one[1]].get(one[0], ())
                if spells(other[0].split(), one[0]) and _types_agree(view, one, other)
            )
            if len(candidates) == 1:
                yield one, next(iter(candidates.values()))


def with_designator(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """A name, and the same name with its legal form or the kind of thing it is behind it."""
    for key in view.keys:
        words = key.split()
        short = " ".join(words[:-1])
        if len(words) > 1 and words[-1] in _LEGAL and short:
            for atom in view.with_key(key):
                for other in view.with_key(short):
                    if _types_agree(view, atom, other):
                        yield atom, other
        elif len(words) > 1 and words[-1] in _KINDS:
            yield from _of_kind(view, key, words)


def people_of(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """The team, the members, the crew of one thing; what is a person besides is none of them."""
    for _, keys in view.documents:
        of: dict[tuple[str, ...], list[AtomKey]] = defaultdict(list)
        for key, atoms in keys.items():
            before, head = parts(key)
            if before and head in PEOPLE and not tail(key):
                of[before] += [atom for atom in atoms if view.atoms[atom].type != "person"]
        for some in of.values():
            yield from (
                (some[0], other) for other in some[1:] if _types_agree(view, some[0], other)
            )


def _of_kind(view: View, key: str, words: list[str]) -> Iterator[tuple[AtomKey, AtomKey]]:
    """The shorter name may leave out words between, too: Dulce military complex. Both share a neighbour.

    So do two kinds of one type: Dulce base.
    """
    for count in range(len(words) - 1, 0, -1):
        short = " ".join(words[:count])
        for one in view.with_key(key):
            here = view.of_document(one[1])
            for other in here.get(short, ()):
                near = view.near(one) & view.near(other)
                if near and _types_agree(view, one, other) and view.atoms[other].type != "term":
                    yield one, other
            for kind in sorted(_KINDS) if count == 1 and view.atoms[one].type else ():
                for other in here.get(f"{short} {kind}", ()):
                    if other != one and view.atoms[other].type == view.atoms[one].type:
                        yield one, other


def _types_agree(view: View, one: AtomKey, other: AtomKey) -> bool:
    types = {view.atoms[one].type, view.atoms[other].type} - {"", "term", "code"}
    return len(types) < 2
