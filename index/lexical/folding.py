"""Accents folded the same way for the index and for the query, with ñ kept apart from n."""

import unicodedata
from functools import lru_cache
from itertools import combinations

_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "\u0131": "i"}
)
_TILDE = "\u0303"
_LONGEST = 3  # n's that may turn into ñ in one word: at most 7 variants
_SHORTEST = 5  # letters; a shorter word is another word with ñ (ano, año; una, uña)


@lru_cache(maxsize=1 << 16)
def fold(word: str, enye: bool = False) -> str:
    """Casefold and drop Latin, Greek and Cyrillic accents: ``Camión`` → ``camion``.

    ``ñ`` stays unless `enye` is true: ``año`` is not ``ano``. All Unicode forms of a word give the
    same result.
    """
    word = word.casefold()
    if word.isascii():
        return word
    kept: list[str] = []
    for c in unicodedata.normalize("NFKD", word):
        if "\u0300" <= c <= "\u036f" and (enye or c != _TILDE or kept[-1:] != ["n"]):
            continue
        kept.append(c)
    return unicodedata.normalize("NFKC", "".join(kept)).translate(_LETTERS).casefold()


def enye_variants(word: str) -> list[str]:
    """Other spellings to try when a folded word is nowhere: ``nunez`` → ``nuñez, ñunez, ñuñez``.

    A word with ñ is tried with n alone. Words under five letters have none, so that ``ano`` never
    finds ``año``. Likelier first: the fewest changes.
    """
    if len(word) < _SHORTEST:
        return []
    if "ñ" in word:
        return [word.replace("ñ", "n")]
    places = [i for i, c in enumerate(word) if c == "n"]
    if not 0 < len(places) <= _LONGEST:
        return []
    return [
        "".join("ñ" if i in chosen else c for i, c in enumerate(word))
        for size in range(1, len(places) + 1)
        for chosen in combinations(places, size)
    ]
