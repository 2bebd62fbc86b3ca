"""Names made of common nouns: their head, what stands before it, and how the two of a pair compare."""

from collections.abc import Sequence
from functools import lru_cache

from index.graph.extract.words import singular
from index.graph.names import words_of
from index.graph.resolve.atoms import Atom
from index.graph.wordset import word_set

_LEFT_OUT = word_set(
    """the a an this that these those his her hers its their my our your one two three four five six
    seven eight both all each every some few many several el la los las un una unos unas este esta estos
    estas ese esa su sus mi mis tu tus nuestro nuestra uno dos tres cuatro cinco ambos ambas todos todas
    own another other otro otra otros otras"""
)
_SMALL = word_set("of in on at with from for behind de del con en para por")


def is_common(atom: Atom) -> bool:
    """Whether a name is made of common nouns: once at least it is written without a capital.

    One at its very beginning does not count where an article or the like stands there.
    """
    return any(_is_common(name) for name in atom.names)


@lru_cache(1 << 14)
def _is_common(name: str) -> bool:
    words = name.split()
    if len(words) > 1 and words[0].lower() in _LEFT_OUT:
        words = words[1:]
    return not any(letter.isupper() for word in words for letter in word[:1])


def has_common_head(atom: Atom) -> bool:
    """Whether a name's last word is written without a capital: Dulce base."""
    return any(name.split()[-1][:1].islower() for name in atom.names if name.split())


@lru_cache(1 << 14)
def parts(key: str) -> tuple[tuple[str, ...], str]:
    """What stands before the head, and the head, in the singular; of "garden behind the house" the garden."""
    words = [word for word in words_of(key) if word not in _LEFT_OUT]
    for place, word in enumerate(words):
        if word in _SMALL and place:
            words = words[:place]
            break
    if not words:
        return (), singular(key.split()[-1])
    return tuple(words[:-1]), singular(words[-1])


def tail(key: str) -> tuple[str, ...]:
    """The words behind a head's preposition; () for none."""
    words = [word for word in words_of(key) if word not in _LEFT_OUT]
    place = next((at for at, word in enumerate(words) if word in _SMALL and at), len(words))
    return tuple(words[place:])


def is_plural(key: str) -> bool:
    """Whether a name's head is written in the plural."""
    words: Sequence[str] = [word for word in key.split() if word not in _LEFT_OUT] or key.split()
    return singular(words[-1]) != words[-1]
