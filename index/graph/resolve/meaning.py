"""Names of one thing by what an LLM said of them.

Only names of common nouns are joined so, each to one of its own document and type: of people with names of
their own much the same may be said. Two that one chunk lists side by side stay apart, unless its words
say that they are the same.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from index.graph.resolve.atoms import AtomKey
from index.graph.resolve.described import described_alike, described_as
from index.graph.resolve.heads import has_common_head, is_common, is_plural, parts, tail
from index.graph.resolve.nearness import Embed, Nearness
from index.graph.resolve.view import View
from index.graph.wordset import word_set

Pair = tuple[AtomKey, AtomKey]
_OTHERS = word_set("another other otro otra otros otras")
_SALIENT = 3
_FEW = 12  # names; of fewer no deviation is known
_MOST = 4000  # names of a document that are compared, those with most mentions


def rounds(view: View, embed: Embed) -> Iterator[list[Pair]]:
    """Pairs, the surest first; each round sees what the one before joined."""
    yield sorted(described_as(view))
    yield sorted(described_alike(view))
    yield sorted(_shorter(view))
    for _, keys in view.documents:
        yield _alike(view, keys, embed)
    yield sorted(_shorter(view))


def _shorter(view: View) -> Iterator[Pair]:
    """A bare head and the one thing of its document and type that has it: the bird, a little white bird."""
    for _, keys in view.documents:
        by_head: dict[tuple[str, bool, str], list[AtomKey]] = defaultdict(list)
        for key, atoms in keys.items():
            for atom in atoms:
                if has_common_head(view.atoms[atom]) and not tail(key):
                    by_head[parts(key)[1], is_plural(key), view.atoms[atom].type].append(atom)
        for atoms in by_head.values():
            bare = [
                atom
                for atom in atoms
                if not parts(atom[0])[0]
                and is_common(view.atoms[atom])
                and atom[0].split()[0] not in _OTHERS
            ]
            longer = view.groups_of(atom for atom in atoms if parts(atom[0])[0])
            for atom in bare:
                others = [
                    one for leader, one in longer.items() if leader != view.groups.leader(atom)
                ]
                meant = _salient(view, others)
                if meant is not None and not _listed_together(view, atom, meant):
                    yield atom, meant
            yield from ((bare[0], atom) for atom in bare[1:])


def _salient(view: View, candidates: Sequence[AtomKey]) -> AtomKey | None:
    """The only candidate, or the one that is named three times as often as any other."""
    named = {
        one: sum(len(view.atoms[atom].places) for atom in view.groups.members(one))
        for one in candidates
    }
    ranked = sorted(candidates, key=lambda one: (-named[one], one))
    if len(ranked) > 1 and named[ranked[0]] < _SALIENT * named[ranked[1]]:
        return None
    return ranked[0] if ranked else None


def _alike(view: View, keys: Mapping[str, Sequence[AtomKey]], embed: Embed) -> list[Pair]:
    """Pairs whose names are far nearer than names are, or that share the head and what is said of them."""
    atoms = [one for some in keys.values() for one in some if has_common_head(view.atoms[one])]
    atoms = sorted(sorted(atoms, key=lambda one: (-len(view.atoms[one].places), one))[:_MOST])
    if len(atoms) < _FEW:
        return []
    nearness = Nearness(embed, [(one[0], view.atoms[one].descriptions) for one in atoms])
    found = []
    for one, other in nearness.pairs():
        a, b = atoms[one], atoms[other]
        if view.atoms[a].type == view.atoms[b].type and is_plural(a[0]) == is_plural(b[0]):
            score = nearness.of(one, other)
            if score > 0 and not _listed_together(view, a, b):
                found.append((-score, a, b))
    return [(a, b) for _, a, b in sorted(found)]


def _listed_together(view: View, one: AtomKey, other: AtomKey) -> bool:
    """Whether a chunk names both."""
    rows = [{place[0] for place in view.atoms[each].places} for each in (one, other)]
    return not rows[0].isdisjoint(rows[1])
