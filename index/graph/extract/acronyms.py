"""Long names with their acronym in brackets, in both orders: ``Long Name (LN)``, ``LN (Long Name)``."""

import re
from collections.abc import Iterator

from index.graph.extract.found import Found
from index.graph.extract.patterns import SAME
from index.graph.extract.text import words as words_in
from index.graph.extract.types import type_of
from index.graph.extract.words import STOP
from index.graph.records import RawRelation
from index.lexical.folding import fold

_SHORT = r"[A-Z][A-Za-z\d&.]{0,8}[A-Z\d]s?"
_BEHIND = re.compile(rf"\((?:\w+ )?[\"“«']?({_SHORT})[\"”»']?\)")
_BEFORE = re.compile(rf"\b({_SHORT}) \(([^()\n]{{4,80}})\)")
_LOOK_BACK = 120  # characters before a bracket


def acronyms(text: str) -> Iterator[tuple[Found, Found, RawRelation]]:
    """Each long name, its acronym, and that they are the same."""
    for found in _BEHIND.finditer(text):
        first = max(text.rfind("\n\n", 0, found.start()) + 1, found.start() - _LOOK_BACK, 0)
        long = _spelled_out(text, first, found.start(), found[1])
        if long is not None:
            yield _same(text, long, found.start(1), found[1])
    for found in _BEFORE.finditer(text):
        long = _spelled_out(text, found.start(2), found.end(2), found[1])
        if long is not None and long.start == found.start(2):
            yield _same(text, long, found.start(1), found[1])


def spells(words: list[str], short: str) -> bool:
    """Whether a word's first letters, small words left out or not, are those of `short`.

    Args:
        words: folded.
        short: folded, letters only.
    """
    every = "".join(word[0] for word in words)
    large = "".join(word[0] for word in words if word not in STOP)
    return short in (every, large)


def _spelled_out(text: str, first: int, end: int, short: str) -> Found | None:
    """The words that end at `end` and whose first letters are `short`."""
    letters = "".join(c for c in fold(short.removesuffix("s")) if c.isalpha())
    words = words_in(text, first, end)
    if len(letters) < 2 or not words or text[words[-1].end : end].strip():
        return None
    for count in range(2, min(len(words), 2 * len(letters)) + 1):
        run = words[-count:]
        if run[0].folded not in STOP and spells([word.folded for word in run], letters):
            name = " ".join(text[run[0].start : run[-1].end].split())
            return Found(run[0].start, run[-1].end, name, 1.0, type_of(run))
    return None


def _same(text: str, long: Found, at: int, short: str) -> tuple[Found, Found, RawRelation]:
    other = Found(at, at + len(short), short, 1.0, long.type)
    span = (min(long.start, at), max(long.end, other.end))
    return long, other, RawRelation(long.name, SAME, short, span=span)
