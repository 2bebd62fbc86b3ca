"""Does a text read like words, or is it what broken fonts and bad OCR leave behind?"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

MAX_LENGTH = 34
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_OTHER_SCRIPT = re.compile(
    "[\u0370-\u1dff\u1f00-\u1fff\u2c00-\ud7ff\uf900-\ufaff\U00010000-\U0003ffff]"
)
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}")
_VOWELS = re.compile("[aeiouyæœøı]")
_REPEATS = re.compile(r"(\w)\1\1")
_CID = re.compile(r"\(cid:\d+\)")
_EDGES = ".,;:!?¡¿()[]{}<>\"'«»“”‘’`´*…–—-/|•·%§&+=#_"  # noqa: RUF001
_INSIDE = re.compile(r"[-'’/.·@_]")
_SINGLE = frozenset("aeiouyAEIOUYxXÁÉÍÓÚáéíóú")


@dataclass(frozen=True, slots=True)
class Wording:
    """What a text is made of."""

    good: int = 0  # characters in words
    bad: int = 0  # characters in what looks like a word's place and is none
    glyphs: float = 0.0  # share of characters that no font has a meaning for

    @property
    def words(self) -> int:
        """Characters that were judged at all; digits and punctuation are not."""
        return self.good + self.bad

    @property
    def share(self) -> float:
        """Of what was judged, how much is good; 1 where there was nothing to judge."""
        return self.good / self.words if self.words else 1.0

    @property
    def worth(self) -> int:
        """To compare two readings of one page."""
        return self.good - self.bad


def wording(text: str) -> Wording:
    """Judge the words of a text in any European language; other scripts count as good."""
    good = bad = 0
    for token in unicodedata.normalize("NFKC", text).split():
        core = token.strip(_EDGES)
        letters = len(_LATIN.findall(core))
        if _OTHER_SCRIPT.search(core):
            good += len(core)
        elif letters and letters * 2 >= len(core):
            if all(_is_word(part) for part in _INSIDE.split(core) if part):
                good += len(core)
            else:
                bad += len(core)
        elif len(core) > 2 and not any(c.isdigit() for c in core):
            bad += len(core)
    return Wording(good, bad, _glyph_share(text))


def _is_word(part: str) -> bool:
    if not part.isalpha():  # E217, 3D, x², but not s«»te
        return part.isalnum() and len(part) <= 12 and not re.search(r"[a-z]\d+[a-z]", part)
    if len(part) == 1:
        return part in _SINGLE or part.isupper()
    plain = "".join(c for c in unicodedata.normalize("NFD", part.lower()) if c.isalpha())
    sounds = len(part) < (5 if part.isupper() else 3) or _VOWELS.search(plain) is not None
    return (
        len(part) <= MAX_LENGTH
        and _even_case(part)
        and sounds
        and not _REPEATS.search(plain)
        and not _CONSONANTS.search(plain)
    )


def _even_case(part: str) -> bool:
    """``word``, ``Word``, ``WORD``, ``APIs``, ``camelCase`` or ``McName``, but not ``HoUSe``."""
    if part.isupper() or part[1:].islower() or (part[:-1].isupper() and part[-1] == "s"):
        return True
    changes = sum(a.islower() and b.isupper() for a, b in pairwise(part))
    return changes == 1 and part[-1].islower()


def _glyph_share(text: str) -> float:
    visible = sum(not c.isspace() for c in text)
    if not visible:
        return 0.0
    cids = _CID.findall(text)
    strange = sum(_strange(c) for c in text) + sum(map(len, cids))
    return strange / visible


def _strange(char: str) -> bool:
    if char < "\x7f":
        return char < " " and char not in "\t\n\r\f\v"
    return char == "\ufffd" or unicodedata.category(char) in ("Co", "Cn", "Cc", "Cs")
