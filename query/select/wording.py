"""When two passages say the same: the same words in the same order, or almost.

Two passages are nearly the same when the words of the shorter stand in the longer in the same order
(the longer holds the shorter, "containment" of Broder, "On the resemblance and containment of
documents", 1997, but ordered and word by word), the longer has at most a tenth more, and all that can
turn a meaning round is equal in both, in order: numbers and versions, identifiers, single letters,
negations and restrictions, signs (``-5``, ``a < b``, ``5 %``). A likeness of bags of shingles alone
would take ``port 8080`` for ``port 8081`` in any passage that is long enough. A word that is replaced,
a translation among them, always makes another passage.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property

from ingest.words import words

MOST_ADDED = 0.1  # of the longer's words
# The shorter has at least half of the longer's characters, or few less: markup may take many.
_LEAST_LENGTH = 0.5
_FEW_CHARACTERS = 64
_NO_DIGITS = re.compile(r"[^0-9]+")

# Folded. Words that turn round or restrict what a sentence says.
_TURNS = words(
    "no not nor none never neither nobody nothing nowhere cannot without except unless only hardly "
    "barely before after than but ni nunca jamas nadie nada ningun ninguna ninguno tampoco sin salvo "
    "excepto menos solo solamente unicamente apenas antes despues"
)
_ARTICLES = frozenset("aeiouy")  # single letters that are words of their own
_BETWEEN = {
    **{c: " " for c in range(0x80) if not chr(c).isalnum()},
    **dict.fromkeys((c for c in range(0xA0, 0xC0) if not chr(c).isalnum()), " "),
    **dict.fromkeys([*range(0x2000, 0x2070), *range(0x2190, 0x2800), *range(0x3000, 0x3020)], " "),
    **dict.fromkeys(range(0x300, 0x370)),  # accents
    **dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF]),
}
_LINE_START = re.compile(
    r"^[ \t]*(?:(?:[>*+\-•◦▪●■–—]|#+)[ \t]+)+|^[ \t|:+\-=~*_#]*([-=~*_])\1\1[ \t|:+\-=~*_#]*$", re.M
)
# Each branch begins with its sign, which is what makes it quick.
_SIGN = re.compile(
    r"[-.](?<![\w.)\-].)(?=-?[\w.])"  # -5, -v, --flag, .NET, but not the dash of 3-5
    r"|[-/:.,](?<=\d.)(?=\d)"
    r"|[-+*/](?<=\S .)(?= \S)"
    r"|[+#](?<=\w.)|[~#+](?=\.?\d)"
    r"|[<>=?%&^$]|!(?=[=\w])"
)
_OTHER_SIGN = re.compile(r"[^\x00-\x7f\w\s]|[²³¹⁰-⁹₀-₉¼-¾⅐-⅞]")
_TELLING_KINDS = frozenset({"Sm", "Sc", "So", "No"})


class Wording:
    """What is compared of a passage; each part is made when it is first needed.

    With code in a passage, or without a word, its words are its whole text, as one. What is `derived` is
    the same only as what is, too: a summary of one short passage must not stand for it, nor hide behind.
    """

    def __init__(self, text: str, kinds: Iterable[str] = (), *, derived: bool = False) -> None:
        self.text = text
        self.derived = derived
        self.is_code = "code" in kinds
        self.digits = _NO_DIGITS.sub("", text)

    @cached_property
    def words(self) -> list[str]:
        """Without case and accents; ñ is kept."""
        spoken = [] if self.is_code else _folded(self.text).split()
        return spoken or ["\n".join(line.rstrip() for line in self.text.strip().splitlines())]

    @cached_property
    def telling(self) -> list[str]:
        """Words that have to be equal, and the signs."""
        return [] if self.is_code else [*filter(_tells, self.words), *_signs(self.text)]

    def may_be(self, other: "Wording") -> bool:
        """A quick look: False only where the two are not nearly the same."""
        short, long = sorted((len(self.text), len(other.text)))
        return self.digits == other.digits and (
            short >= _LEAST_LENGTH * long or long - short <= _FEW_CHARACTERS
        )


def nearly_same(one: Wording, other: Wording) -> bool:
    """Whether two passages say the same; see the module."""
    if one.text == other.text and one.is_code == other.is_code:
        return True
    if not one.may_be(other):
        return False
    short, long = sorted((one.words, other.words), key=len)
    if len(long) - len(short) > MOST_ADDED * len(long):
        return False
    if len(long) == len(short):
        return long == short and one.telling == other.telling
    rest = iter(long)
    return all(word in rest for word in short) and one.telling == other.telling


def _folded(text: str) -> str:
    # Not `index.lexical.tokens`: six times as quick, and what it cuts otherwise is caught by the signs.
    text = text.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).replace("n\u0303", "ñ")
    return text.translate(_BETWEEN)


def _tells(word: str) -> bool:
    return word in _TURNS or not word.isalpha() or (len(word) == 1 and word not in _ARTICLES)


def _signs(text: str) -> list[str]:
    text = _LINE_START.sub("", text)
    found: list[str] = _SIGN.findall(text)
    if not text.isascii():
        others = _OTHER_SIGN.findall(text)
        found += [sign for sign in others if unicodedata.category(sign) in _TELLING_KINDS]
    return found
