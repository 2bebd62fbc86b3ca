"""Snowball stemmers by ISO 639-1 code."""

from collections.abc import Callable
from functools import lru_cache

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "nb": "norwegian", "nn": "norwegian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


LANGUAGES = frozenset(_ALGORITHMS)


def _unchanged(word: str) -> str:
    return word


@lru_cache(maxsize=64)
def stemmer(language: str) -> Callable[[str], str]:
    """The stemming function of a language; the identity for an unknown one or ``""``."""
    import Stemmer

    algorithm = _ALGORITHMS.get(language)
    if algorithm is None or algorithm not in Stemmer.algorithms():
        return _unchanged
    stem: Callable[[str], str] = Stemmer.Stemmer(algorithm).stemWord
    return _with_short_plurals(stem) if language == "es" else stem


def _with_short_plurals(stem: Callable[[str], str]) -> Callable[[str], str]:
    # Snowball leaves plurals of four letters (años, días, usos) apart from their singular.
    def short(word: str) -> str:
        return stem(word[:-1] if len(word) == 4 and word.endswith(("as", "os")) else word)

    return short
