"""Words in sequence, looked for in texts: the index holds no positions.

Words are compared as they are written but for case and accents: no stems, no stop words. What stands
between two words does not matter: ``"multi agent"`` is in ``multi-agent``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from index.lexical.folding import fold
from index.lexical.tokens import is_unspaced, pieces

_MOST_SPELLINGS = 64  # of one phrase, tried with ñ for n


@dataclass(frozen=True, slots=True)
class Phrase:
    """Folded words in sequence, each with the spellings that may stand for it, the asked one first."""

    words: tuple[tuple[str, ...], ...]
    fold_enye: bool

    def is_in(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts holds it; it may not cross from one into the next."""
        needles = self._needles()
        return any(
            needle in line
            for line in (_line(plain_words(t, self.fold_enye)) for t in texts)
            for needle in needles
        )

    def _needles(self) -> list[str]:
        return [_line(spelled) for spelled in product(*self.words)][:_MOST_SPELLINGS]


def plain_words(text: str, fold_enye: bool = False) -> list[str]:
    """The folded words of a text, in order, signs and all."""
    return [word for piece in pieces(text) if (word := fold(piece, fold_enye))]


def selects(word: str) -> bool:
    """Whether each text that holds the word is sure to have it among its index terms.

    It is not where the tokenizer may make one term of several words (``U.S.A.``, ``1.000``, ``l'home``);
    stop words, which have no terms at all, are the caller's to know.
    """
    bare = word.replace("_", "")
    return (len(bare) > 1 and bare.isalnum()) or (len(word) == 1 and is_unspaced(word))


def _line(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "
