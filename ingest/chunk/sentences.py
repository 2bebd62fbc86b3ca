"""Sentence bounds for Spanish and English, and for the full stops of Chinese and Japanese.

One rule set for both languages, since documents mix them. The package sentencex was tried: it needs
the language, loses characters around blank lines and takes a quoted page for one sentence.
"""

import re
from itertools import chain

_CLOSERS = "\"'”’»)\\]」』）*_`"  # noqa: RUF001
_STOP = re.compile(rf"([.!?…。！？｡]++)([{_CLOSERS}]*+)")  # noqa: RUF001
_BREAK = re.compile(r"\n[^\S\n]*+\n\s*+|\n[^\S\n]*+(?=(?:[-*+•]|\d{1,3}[.)])[^\S\n])")
_WIDE = frozenset("。！？｡")  # noqa: RUF001
_LAST_WORD = re.compile(r"[^\s(\[\"'«“‘¿¡]+$")
_LOOK_BACK = 24


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST = _words(
    """sr sra srta sres sras dr dra drs dres dña prof profa ing lic arq gral cnel sto sta fr mr mrs
    ms mx st mt rev hon gen capt sgt lt gov sen rep av avda avd ctra pza plza urb ej vs cf ee e.g i.e
    p.ej aprox approx incl excl tel ext dept depto dpto atte ntra ntro excmo excma ilmo ilma"""
)
_BEFORE_NUMBER = _words(
    """no nos núm núms num nro n nº n.º fig figs art arts pág págs pag cap caps vol vols sec secc p
    pp eq ch ref refs tab ed op jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago dic"""
)
_MAY_END = _words("etc inc ltd co corp jr uu s.a s.l a.m p.m a.c d.c")
_DOTTED = re.compile(r"(?:\w\.)*\w")
_OPENER = re.compile(
    r"[¿¡«“\"(]*(?:The|This|That|These|It|He|She|We|They|You|In|On|At|A|An|But|And|If|When|For|There|Its|His"
    r"|El|La|Los|Las|Un|Una|Este|Esta|Esto|Ese|Esa|En|Es|Se|No|Si|Por|Para|Con|Pero|Y|Su|Al|De|Lo|Hay)\b"
    r"|[¿¡]"
)


def sentence_starts(text: str) -> list[int]:
    """Where each sentence starts, in characters, rising, the first at 0; [] for an empty text.

    A sentence keeps the blanks after it, so the pieces between starts join to `text` again. A blank
    line and a list marker start a sentence too.
    """
    if not text:
        return []
    ends = (end for match in _STOP.finditer(text) if (end := _end(text, match)))
    breaks = (match.end() for match in _BREAK.finditer(text))
    return sorted({0, *(at for at in chain(ends, breaks) if at < len(text))})


def _end(text: str, match: re.Match[str]) -> int:
    """Start of the next sentence when a sentence ends at `match`, else 0."""
    at = match.end()
    if at >= len(text):
        return 0
    marks, closers = match.groups()
    if marks[-1] in _WIDE or text[at] in "¿¡":
        return _skip_blanks(text, at)
    if not text[at].isspace():
        return 0
    after = _skip_blanks(text, at)
    if after >= len(text):
        return 0
    lower = text[after].islower()
    if marks != ".":
        ends = not (lower and (bool(closers) or marks[-1] in ".…"))
    else:
        ends = not (lower and closers) and _stop_ends(text, match.start(), after)
    return after if ends else 0


def _stop_ends(text: str, dot: int, after: int) -> bool:
    """Whether the full stop at `dot` ends a sentence; `after` is the next character's place."""
    found = _LAST_WORD.search(text, max(0, dot - _LOOK_BACK), dot)
    word = found.group() if found else ""
    low = word.lower()
    if low in _NEVER_LAST:
        return False
    if low in _BEFORE_NUMBER and (text[after].isdigit() or (text[after].islower() and low != "no")):
        return False
    if word.isdigit() and len(word) <= 3 and _line_is_blank(text, dot - len(word)):
        return False  # "1. First item"
    if text[after].islower():
        return len(word) > 3 and low not in _MAY_END
    if low in _MAY_END or (_DOTTED.fullmatch(word) and not word.isdigit()):
        return bool(_OPENER.match(text, after))
    return True


def _line_is_blank(text: str, end: int) -> bool:
    start = max(text.rfind("\n", 0, end) + 1, end - _LOOK_BACK)
    return not text[start:end].strip() and (start == 0 or text[start - 1] == "\n")


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
