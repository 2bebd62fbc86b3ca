"""Descriptions that begin with another name: "the old man" is "Cinderella's father, who wonders"."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from index.graph.extract.found import Word
from index.graph.extract.text import words
from index.graph.extract.words import singular
from index.graph.names import words_of
from index.graph.resolve.atoms import AtomKey
from index.graph.resolve.heads import is_common, is_plural, parts
from index.graph.resolve.view import View
from index.graph.wordset import word_set

_DEFINITE = frozenset(["the", "el", "la"])
_LEAD = word_set("the a an here el la un una aqui one each")
# Behind a name, these begin what more is said of it
_GOES_ON = word_set(
    """who whom whose which that as when after before of with in on at from for to under over
    behind beneath by during while que quien cuyo cuya como cuando de del con en para por bajo sobre
    tras desde"""
)
# "Title the prince gives cinderella", "How the father describes cinderella", "Sam's nickname"
_NAMING = word_set(
    """name surname nickname title word term form epithet alias label how what description role
    nombre apellido apodo titulo palabra termino forma mote como descripcion papel"""
)
_OF_OWNER = word_set("surname nickname description role apellido apodo descripcion papel")
_CALLS = word_set(
    """for of gives give describes calls addresses names given para de da describe llama nombra
    to"""
)
_PERSON = "person"
_SHARE = 1 / 3  # of an entity's descriptions that must say so


def described_as(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """Names of common nouns, and what their descriptions say that they are."""
    for one, atom in view.atoms.items():
        if not is_common(atom) or not atom.descriptions:
            continue
        here = view.of_document(one[1])
        meant: dict[str, int] = {}
        for text, number in atom.descriptions.items():
            for key in _names_of(text, here, one[0]):
                meant[key] = meant.get(key, 0) + number
        least = _SHARE * atom.descriptions.total()
        for key, number in meant.items():
            if number >= least:
                yield from (
                    (one, other)
                    for other in here[key]
                    if view.atoms[other].type == atom.type and (" " in key or atom.type == _PERSON)
                )


def described_alike(view: View) -> Iterator[tuple[AtomKey, AtomKey]]:
    """Whoever is described as "the girl", and the one of whom "girl" is said, too; of people only."""
    for _, keys in view.documents:
        heads: dict[str, list[AtomKey]] = defaultdict(list)
        definite: dict[AtomKey, set[str]] = defaultdict(set)
        for atom in (one for some in keys.values() for one in some):
            if view.atoms[atom].type == _PERSON and is_common(view.atoms[atom]):
                for text in view.atoms[atom].descriptions:
                    head, known = _head_of(text)
                    heads[head].append(atom)
                    if known and head:
                        definite[atom].add(head)
        for atom, said in definite.items():
            for head in sorted(said):
                others = view.groups_of(heads[head])
                others.pop(view.groups.leader(atom), None)
                if len(others) == 1:
                    yield atom, next(iter(others.values()))


def _head_of(text: str) -> tuple[str, bool]:
    """The noun that a description begins with, and whether that is all of it: "the girl"."""
    said = words(text, 0, len(text))
    if not said or said[0].folded in _NAMING or _behind_owner(text, said, 0) is not None:
        return "", False
    definite = said[0].folded in _DEFINITE
    place = 1 if said[0].folded in _LEAD else 0
    for end in range(place + 1, min(len(said), place + 4) + 1):
        if end == len(said) or said[end].folded in _GOES_ON:
            return said[end - 1].folded, definite and end == place + 1
        if text[said[end - 1].end : said[end].start] not in (" ", "-"):
            return said[end - 1].folded, definite and end == place + 1
    return "", False


def _names_of(text: str, here: Mapping[str, Sequence[AtomKey]], own: str) -> Iterator[str]:
    """The keys that a description gives as what its thing is."""
    said = words(text, 0, len(text))
    first = 1 if said and said[0].folded in _LEAD else 0
    for start in (first, _behind_owner(text, said, first)):
        if start is None:
            continue
        for end in range(min(len(said), start + 4), start, -1):
            key = " ".join(w for word in said[start:end] for w in words_of(word.text))
            found = _known(key, here, own)
            if found and _ends(text, said, end, here):
                yield found
                return
    yield from _named(text, said, here, own)


def _behind_owner(text: str, said: Sequence[Word], first: int) -> int | None:
    """The place behind "Cinderella's", "the king's"; None where nobody's is said."""
    for place in range(first, min(first + 3, len(said) - 1)):
        if text[said[place].end : said[place + 1].start] in ("'s ", "’s "):
            return place + 1
    return None


def _ends(text: str, said: Sequence[Word], end: int, here: Mapping[str, Sequence[AtomKey]]) -> bool:
    """Whether a name ends at a place, and is not the first of a list of names."""
    if end == len(said):
        return True
    gap = text[said[end - 1].end : said[end].start]
    if gap.startswith(("'", "’")):
        return False
    if gap.startswith((",", ";", ".", ":")):
        return said[end].folded not in here
    return said[end].folded in _GOES_ON


def _known(key: str, here: Mapping[str, Sequence[AtomKey]], own: str) -> str:
    """A key of the document that a phrase is, or that is the phrase with a number before it."""
    if key != own and key in here:
        return key
    if not parts(key)[0]:
        return ""
    alike = [
        other
        for other in here
        if other != own and parts(other) == parts(key) and is_plural(other) == is_plural(key)
    ]
    return alike[0] if len(alike) == 1 else ""


def _named(
    text: str, said: Sequence[Word], here: Mapping[str, Sequence[AtomKey]], own: str
) -> Iterator[str]:
    """What a description of the name itself ("Title the prince gives cinderella") says it is a name of."""
    owner = _behind_owner(text, said, 0)
    if owner is not None and {word.folded for word in said[owner : owner + 2]} & _OF_OWNER:
        key = " ".join(w for word in said[:owner] for w in words_of(word.text))
        if key in here and key != own:
            yield key
        return
    if owner is not None and said[owner].folded in _NAMING:
        said = said[owner:]
    if not said or said[0].folded not in _NAMING:
        return
    for place, word in enumerate(said[1:], 1):
        if word.folded in _CALLS:
            yield from _thing(text, said, place + 1, here, own)
            return


def _thing(
    text: str, said: Sequence[Word], start: int, here: Mapping[str, Sequence[AtomKey]], own: str
) -> Iterator[str]:
    """The name at a place, or those of the same head where it is called by none of its names there."""
    start += said[start].folded in _LEAD if start < len(said) else 0
    for end in range(min(len(said), start + 4), start, -1):
        key = " ".join(w for one in said[start:end] for w in words_of(one.text))
        if key in here and key != own:
            yield key
            return
    for end in range(start + 1, min(len(said), start + 4) + 1):
        if _ends(text, said, end, here):
            head = singular(said[end - 1].folded)
            yield from (
                key for key in here if key != own and parts(key)[0] and parts(key)[1] == head
            )
            return
