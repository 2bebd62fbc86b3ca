"""Names as keys: what stays of a name without case, accents, punctuation, articles and titles."""

import hashlib
import unicodedata
from functools import lru_cache

_ARTICLES = frozenset("the a an el la los las un una lo le les il".split())
_TITLES = frozenset(
    """mr mrs ms miss dr dra prof profesor profesora sr sra srta don doña dona sir lady lord agent agente
    doctor doctora professor president presidente presidenta captain capitan general colonel coronel
    senator senador senadora king queen rey reina prince princess principe princesa saint san santa
    ingeniero ingeniera ing lic licenciado licenciada señor señora señorita senor senora father
    padre officer detective inspector inspectora minister ministro ministra st""".split()
)


def words_of(name: str) -> list[str]:
    """The words of a name, folded: no case, no accents, no punctuation; ñ stays."""
    return _words(name).copy()


@lru_cache(1 << 16)
def _words(name: str) -> list[str]:
    kept = unicodedata.normalize("NFC", name).casefold().replace("’", "'")
    for suffix in ("'s", "'"):
        kept = kept.removesuffix(suffix)
    kept = "".join(_letter(letter) for letter in kept)
    return kept.split()


@lru_cache(1 << 12)
def _letter(letter: str) -> str:
    if letter == "ñ":
        return letter
    letters = [c for c in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(c)]
    if letters and all(c.isalnum() or c in "+#" for c in letters):
        return "".join(letters)
    return "" if letter in ".'" else " "  # U.S.A. is USA, O'Neil is oneil


def name_key(name: str) -> str:
    """The key of a name: its folded words without leading articles and titles.

    "The Dr. Jordan Hayes" → "jordan hayes". A name of only such words is kept whole: "The King" → "king",
    "Doctor" → "doctor".
    """
    words = _words(name)
    first = 0
    while first < len(words) - 1 and (words[first] in _ARTICLES or words[first] in _TITLES):
        first += 1
    return " ".join(words[first:])


def title_of(name: str) -> tuple[str, ...]:
    """The titles before a name, folded: "The Dr. Jordan Hayes" → ("dr",)."""
    words = _words(name)
    kept = words[: len(words) - len(name_key(name).split())]
    return tuple(word for word in kept if word in _TITLES)


def hash_of(key: str) -> int:
    """64 bits of a name's key, for looking it up."""
    return int.from_bytes(
        hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    )
