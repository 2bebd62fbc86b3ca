"""Text into surface tokens: words, identifiers and runs of scripts written without spaces.

A surface token keeps its case and the signs that matter: ``getUserName``, ``pkg.mod``,
``HTTP-403``, ``C++``, ``C#``, ``.NET``, ``--flag``, ``v1.2.3``, ``don't``. `index.lexical.forms`
cuts it further.
"""

import re
import unicodedata
from functools import cache

_FIRST_UNSPACED = "\u0e00"
# Scripts written without spaces, and Hangul, whose particles are glued to the word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"  # Jamo, kana
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"  # Han, Hangul
    "\U00020000-\U0003134f"
)
# Combining marks that NFKC leaves apart; Python's \w holds none of them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd"
    "\u0a01-\u0a03\u0a3c-\u0a4d\u0a81-\u0a83\u0abc-\u0acd\u0b82\u0bbe-\u0bcd\u0c00-\u0c04"
    "\u0c3e-\u0c4d\u0c81-\u0c83\u0cbc-\u0ccd\u0d00-\u0d03\u0d3b-\u0d4d\u0e31-\u0e4e"
    "\u0eb1-\u0ece\u102b-\u109d\u17b4-\u17d3\u1dc0-\u1dff\u20d0-\u20ff"
)
_WORD = rf"\w[\w{_MARKS}]*"
_JOINT = r"(?:::|->|[.\-/\\'@:&]|(?<=\d),(?=\d))"
_SIGN = r"(?<![\w\-])(?:--(?=[^\W\d_])|-(?=[^\W\d_]\b)|\.(?=[^\W\d_]))"  # --flag, -v, .NET
_TOKEN = re.compile(rf"(?:{_SIGN})?{_WORD}(?:{_JOINT}{_WORD})*(?:\+\+|\#(?!\w))?")
# Signs stand alone, numbers stay whole, all other joints only part words.
_PIECE = re.compile(rf"{_SIGN}|{_WORD}(?:(?<=\d)[.,]\d[\w{_MARKS}]*)*(?:\+\+|\#(?!\w))?")
_PLAIN = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201b\u02bc\u2032\uff07"), "'"),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2212\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), None),
    # NFKC would glue a fraction to the number before it: 6½ would hold 61.
    **{ord(c): f" {unicodedata.normalize('NFKC', c)} " for c in "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"},
}


def normalize(text: str) -> str:
    """NFKC with plain apostrophes and hyphens; soft hyphens and zero-width characters go."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text.translate(_PLAIN))


def surface_tokens(text: str) -> list[str]:
    """The surface tokens of a text, in order, case kept. Accepts any string."""
    text = normalize(text)
    tokens: list[str] = _TOKEN.findall(text)
    if text.isascii() or max(text) < _FIRST_UNSPACED:
        return tokens
    return [part for token in tokens for part in _parts(token)]


def pieces(text: str) -> list[str]:
    """A text as it is compared word for word, case kept.

    Joints part words (``multi-agent`` → multi, agent), numbers stay whole (``1,000``), signs before a
    word are pieces of their own (``--``, ``flag``), unspaced scripts come as single characters.
    """
    text = normalize(text)
    found: list[str] = _PIECE.findall(text)
    if text.isascii() or max(text) < _FIRST_UNSPACED:
        return found
    return [part for piece in found for part in _characters(piece)]


def is_unspaced(surface: str) -> bool:
    """Whether a surface token is a run of a script that is cut into pairs of characters."""
    return surface >= _FIRST_UNSPACED and _unspaced_run().match(surface) is not None


@cache
def _unspaced_run() -> re.Pattern[str]:
    return re.compile(rf"([{_UNSPACED}][{_UNSPACED}{_MARKS}]*)")  # slow to compile, seldom needed


def _parts(token: str) -> list[str]:
    if token.isascii():
        return [token]
    parts: list[str] = []
    for i, piece in enumerate(_unspaced_run().split(token)):
        parts += [piece] if i % 2 else _TOKEN.findall(piece)
    return parts


def _characters(piece: str) -> list[str]:
    if piece.isascii():
        return [piece]
    parts: list[str] = []
    for i, run in enumerate(_unspaced_run().split(piece)):
        parts += list(run) if i % 2 else _PIECE.findall(run)
    return parts
