"""The lines of a chunk that show why it was found, for a terminal."""

import re
from typing import TYPE_CHECKING

from index.lexical.folding import fold
from index.lexical.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

LINES = 4
_WORD = re.compile(r"\w+")
_STEM = 5  # letters two forms of a word share: rodamiento and rodamientos, pump and pumps


def question_words(question: str) -> frozenset[str]:
    """Beginnings of the question's words, folded, without function words."""
    stop = frozenset().union(*STOP_WORDS.values())
    words = {word.casefold() for word in _WORD.findall(question)}
    return frozenset(fold(word)[:_STEM] for word in words if word not in stop)


def snippet(console: "Console", text: str, words: frozenset[str], indent: int) -> "Text":
    """At most four lines of `text`, from where most of the question's words stand, those in bold."""
    from rich.text import Text

    flat = Text(" ".join(text.split()))
    mark(flat, words)
    lines = list(flat.wrap(console, console.width - indent))
    first = _best_start([len(line.spans) for line in lines])
    shown = Text("\n").join(lines[first : first + LINES])
    if first:
        shown = Text.assemble(("… ", "dim"), shown)
    if first + LINES < len(lines):
        shown.append(" …", "dim")
    return shown


def mark(text: "Text", words: frozenset[str], start: int = 0) -> None:
    """Put the question's words in bold, from `start` on."""
    for found in _WORD.finditer(text.plain, start):
        if fold(found.group().casefold())[:_STEM] in words:
            text.stylize("bold", *found.span())


def _best_start(marks: list[int]) -> int:
    """The line to begin with, so that four lines hold the most marks; the earliest of equals."""
    starts = range(max(len(marks) - LINES, 0) + 1)
    return max(starts, key=lambda start: (sum(marks[start : start + LINES]), -start))
