"""Words in sequence, looked for in texts: the index holds no positions.

Words are compared as they are written but for case and accents: no stems, no stop words. What stands
between two words does not matter: ``"multi agent"`` is in ``multi-agent``.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from index.lexical.folding import fold
from index.lexical.tokens import is_unspaced, pieces

_MOST_SPELLINGS = 64  # of one phrase, tried with ñ for n
_OTHER_LETTERS = re.compile(
    "[øłđðþæœı]"
)  # that folding turns into ASCII and decomposition does not


@dataclass(frozen=True, slots=True)
class Phrase:
    """Folded words in sequence, each with the spellings that may stand for it, the asked one first."""

    words: tuple[tuple[str, ...], ...]
    fold_enye: bool

    def is_in(self, texts: Iterable[str]) -> bool:
        """Whether one of the texts holds it; it may not cross from one into the next."""
        return any(self.may_be_in(text) and self._is_in(text) for text in texts)

    def may_be_in(self, text: str) -> bool:
        """A quick look, many times cheaper than the full one: False only where it is not there."""
        loose = unicodedata.normalize("NFKD", text.casefold())
        if _OTHER_LETTERS.search(loose):
            return True
        return _sieve(self.words).search(_skeleton(loose)) is not None

    def _is_in(self, text: str) -> bool:
        line = _line(plain_words(text, self.fold_enye))
        spelled = islice(product(*self.words), _MOST_SPELLINGS)
        return any(_line(words) in line for words in spelled)


@lru_cache(maxsize=256)
def _sieve(words: tuple[tuple[str, ...], ...]) -> re.Pattern[bytes]:
    """The ASCII letters and digits of the words, with nothing of the kind between them."""
    parts = []
    for spellings in words:
        found = {re.escape(_skeleton(unicodedata.normalize("NFKD", word))) for word in spellings}
        # A sign may be written with a hyphen outside ASCII.
        signs = set(spellings[0]) <= set("-.")
        parts.append(b"" if signs else b"(?:" + b"|".join(sorted(found)) + b")")
    return re.compile(b"[^a-z0-9_]*".join(parts))


def _skeleton(decomposed: str) -> bytes:
    return decomposed.encode("ascii", "ignore").lower()


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
