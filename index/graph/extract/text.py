"""A chunk's text as sentences of words."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from index.graph.extract.found import Word
from index.graph.extract.titles import line_ends
from index.lexical.folding import fold
from ingest.chunk.sentences import sentence_starts

_WORD = re.compile(r"[^\W_]++(?:[-'’&.][^\W_]++)*+")
_POSSESSIVE = ("'s", "’s", "'S", "’S")
_folded = lru_cache(1 << 16)(fold)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence, or line that the writer ended; blanks at its end left out."""
    starts = {*sentence_starts(text), *line_ends(text)}
    for start, end in pairwise([*sorted(starts), len(text)]):
        length = len(text[start:end].rstrip())
        if length:
            yield start, start + length


def words(text: str, start: int, end: int) -> list[Word]:
    """The words between two places; a possessive's ending is no part of its word."""
    found = []
    for match in _WORD.finditer(text, start, end):
        word = match[0]
        if word.endswith(_POSSESSIVE):
            word = word[:-2]
        first = match.start()
        found.append(Word(first, first + len(word), word, _folded(word.replace("’", "'"))))
    return found
