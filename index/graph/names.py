"""Names as keys: what stays of a name without case, accents, punctuation, articles and titles."""

import hashlib
import re
from functools import lru_cache

from index.graph.wordset import word_set
from index.lexical.folding import fold

_ARTICLES = word_set(
    """the a an this that these those el la los las un una unos unas lo este esta estos estas ese esa esos
    esas aquel aquella"""
)
TITLES = word_set(
    """mr mrs ms miss mx dr dra prof profesor profesora sr sra srta don doña dona sir dame lady lord agent
    agents agente agentes doctor doctora doctors professor
    president presidente presidenta captain capitan general colonel
    coronel major sergeant sargento lieutenant teniente commander comandante senator senador senadora
    king queen rey reina prince princess principe princesa ingeniero ingeniera ing
    lic licenciado licenciada señor señora señorita senor senora father padre sister brother sor fray
    officer detective inspector inspectora minister ministro ministra judge juez jueza pope papa
    emperor empress emperador emperatriz count countess duke duchess duque duquesa conde condesa"""
)
_OF = word_set("of de del for")
_APOSTROPHE = re.compile("['’\u02bc\u00b4`]")
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")
_INITIALS = re.compile(r"\b(?:\w\.){2,}")
_SIGN = re.compile(r"[^\w+#]+|_")


@lru_cache(1 << 16)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, folded: no case, accents and punctuation; ñ, and the signs of C++ and C#, stay.

    "U.S.A." is one word, and so is "O'Neil".
    """
    name = _POSSESSIVE.sub("", name.strip())
    name = _INITIALS.sub(lambda found: found[0].replace(".", "") + " ", name)
    return tuple(_SIGN.sub(" ", fold(_APOSTROPHE.sub("", name))).split())


@lru_cache(1 << 16)
def name_key(name: str) -> str:
    """The key of a name: its folded words without the articles and titles before them.

    "The Dr. Jordan Hayes" → "jordan hayes". Where nothing else is left the last word stays: "The King" →
    "king". "" for a name without a letter or digit.
    """
    words = words_of(name)
    return " ".join(words[_first(words) :])


def title_of(name: str) -> str:
    """The last title before a name, folded, "" for none: "The Dr. Jordan Hayes" → "dr"."""
    words = words_of(name)
    first = _first(words)
    return words[first - 1] if first and words[first - 1] in TITLES else ""


def hash_of(key: str) -> int:
    """64 bits of a name's key, for looking it up."""
    raw = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw, "little")


def _first(words: tuple[str, ...]) -> int:
    """The place of the first word that counts; a title before "of" is part of the name: Duke of York."""
    first = 0
    while first < len(words) - 1 and (words[first] in _ARTICLES or words[first] in TITLES):
        if words[first] in TITLES and words[first + 1] in _OF:
            break
        first += 1
    return first
