"""Lines that the writer ended, the title before a text, and the titles that it quotes."""

import re
from collections.abc import Iterator
from itertools import pairwise

from index.graph.extract.found import Found
from index.graph.extract.words import STARTERS, STOP
from index.lexical.folding import fold

_SURE = 0.7
_LONGEST = 80  # characters of a title
_MOST = 8  # words of one
_WORDS = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_FIRST_WORD = re.compile(r"\S+")
_ASIDE = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
_CLOSED = re.compile(r"[.!?…:;,]\s*$")
_CALLED = re.compile(r", *[^\W_]+[,.]? *$")
_QUOTED = re.compile(r"[\"“«]([^\"“”«»\n]{2,60})[\"”»]")


def line_ends(text: str) -> Iterator[int]:
    """Where a line begins that its writer did not wrap.

    The line before had room for its first word: no other line is so short that it would not have.
    """
    lines = text.split("\n")
    widest = max(map(len, lines))
    at = 0
    for line, following in pairwise(lines):
        at += len(line) + 1
        word = _FIRST_WORD.search(following)
        if word and line.strip() and len(line.rstrip()) + 1 + len(word[0]) <= widest:
            yield at


def titles(text: str) -> Iterator[Found]:
    """The first line, where it is a title, and names of works in quotes: "Army Wives"."""
    first, _, rest = text.partition("\n")
    if rest.strip() and next(line_ends(text), -1) == len(first) + 1:
        yield from _title(text, 0, len(first))
    for quoted in _QUOTED.finditer(text):
        if _is_work(quoted[1]):
            yield from _title(text, quoted.start(1), quoted.start(1) + len(quoted[1].rstrip(" ,.")))


def _title(text: str, start: int, end: int) -> Iterator[Found]:
    """The name between two places; "Mercury (planet)" is called Mercury."""
    line = text[start:end]
    name = _ASIDE.sub("", line).strip()
    words = [fold(word) for word in _WORDS.findall(name)]
    if not words or len(words) > _MOST or len(name) > _LONGEST or name[0] in "#-*>|`<{":
        return
    if (
        "|" in name
        or _CLOSED.search(name)
        or all(word in STARTERS or word.isdigit() for word in words)
    ):
        return
    begin = start + line.index(name)
    yield Found(begin, begin + len(name), name, _SURE)


def _is_work(quoted: str) -> bool:
    """Every word that is no small one begins with a capital; speech does not."""
    words = _WORDS.findall(quoted)
    telling = [word for word in words if fold(word) not in STOP]
    if not telling or not words[0][0].isupper() or quoted.rstrip()[-1] in "!?…":
        return False
    if (len(words) == 1 and _CLOSED.search(quoted)) or _CALLED.search(quoted):
        return False  # "Exactly," she said; "Thank you, Alex"
    return all(word[0].isupper() or word[0].isdigit() for word in telling)
