"""What the words beside a name say of it: that it speaks, and what it is."""

import re
from collections.abc import Sequence

from index.graph.extract.found import Found
from index.graph.extract.words import SPEECH
from index.graph.wordset import word_set
from index.lexical.folding import fold

_FAR = 100  # characters behind a name
_ARTICLE = re.compile(r", (?:the|a|an|el|la|un|una) ")
_WORD_BEHIND = re.compile(r"[\"”»,]* ([^\W\d_]+)\b")
_WORD_BEFORE = re.compile(r"([^\W\d_]+) $")
_IS_A = re.compile(
    r"(?:,| (?:is|was|es|era|fue)) (?:(?:the|a|an|el|la|un|una|our|her|his|su) )?"
    r"([^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,5})"
)
_END = word_set("and but who which that y pero que quien cual when while cuando")


def speaks(text: str, found: Sequence[Found]) -> str:
    """The type person where the name says, thinks or walks; "" where nothing shows it."""
    for one in found:
        behind = _WORD_BEHIND.match(text, one.end)
        before = _WORD_BEFORE.search(text, max(0, one.start - 20), one.start)
        if (behind and fold(behind[1]) in SPEECH) or (before and fold(before[1]) in SPEECH):
            return "person"
    return ""


def described(text: str, one: Found) -> str:
    """The words behind a name by which a text says what it is ("Dr. Zhang, a dentist in Leeds").

    "" where there are none.
    """
    match = _IS_A.match(text, one.end, one.end + _FAR)
    if not match or (match[0][0] == "," and not _ARTICLE.match(match[0])):
        return ""
    kept: list[str] = []
    for word in match[1].split():
        if word in _END:
            break
        kept.append(word)
    return " ".join(kept) if kept and kept[0].islower() else ""
