"""What the words beside a name say of it: that it speaks, and what it is."""

import re
from collections.abc import Sequence

from index.graph.extract.found import Found
from index.graph.extract.words import SPEECH
from index.lexical.folding import fold

_NEAR = 60  # characters behind a name
_WORD_BEHIND = re.compile(r"[\"”»,]* ([^\W\d_]+)\b")
_WORD_BEFORE = re.compile(r"([^\W\d_]+) $")
_IS_A = re.compile(
    r"(?:,| (?:is|was|es|era|fue)) (?:(?:the|a|an|el|la|un|una|our|her|his|su) )?"
    r"([^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,5})"
)
_END = frozenset(
    [
        "and",
        "but",
        "who",
        "which",
        "that",
        "y",
        "pero",
        "que",
        "quien",
        "cual",
        "when",
        "while",
        "cuando",
    ]
)


def speaks(text: str, found: Sequence[Found]) -> str:
    """ "person" where the name says, thinks or walks; "" where nothing shows it."""
    for one in found:
        behind = _WORD_BEHIND.match(text, one.end)
        before = _WORD_BEFORE.search(text, max(0, one.start - 20), one.start)
        if (behind and fold(behind[1]) in SPEECH) or (before and fold(before[1]) in SPEECH):
            return "person"
    return ""


def described(text: str, found: Sequence[Found]) -> str:
    """The words by which a text says what a name is ("Dr. Zhang, a dentist in Leeds"), "" for none."""
    for one in found:
        match = _IS_A.match(text, one.end, one.end + _NEAR + 40)
        if match and match[0][0] == "," and not re.match(r", (?:the|a|an|el|la|un|una) ", match[0]):
            continue
        if match:
            kept: list[str] = []
            for word in match[1].split():
                if word in _END:
                    break
                kept.append(word)
            if kept and kept[0].islower():
                return " ".join(kept)
    return ""
