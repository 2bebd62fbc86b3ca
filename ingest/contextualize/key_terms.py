"""The words that a document keeps coming back to."""

import re
from collections import Counter

from ingest.function_words import FUNCTION_WORDS
from kb.records import Chunk

_WORD = re.compile(r"[^\W\d_]\w{3,}")
_COMMON = frozenset().union(*FUNCTION_WORDS.values())
_LEAST = 3  # times a word has to stand in the document
_MOST = 30  # words of a document that may be named
_NAMED = 3  # of them, in one chunk's context
_LONG = 2_000_000  # characters; what a document is about shows in them


class KeyTerms:
    """The most frequent words of a document, or of a window of a very long one, without function words.

    Frequencies are compared by their powers of two, words of one power by their first place: an edit
    that says a word once more or less changes the choice, and with it what is embedded of the other
    chunks, only where it passes such a power.
    """

    def __init__(self, text: str) -> None:
        text = text[:_LONG]
        counts = Counter(word.casefold() for word in _WORD.findall(text))
        told = (w for w, n in counts.items() if n >= _LEAST and w not in _COMMON)
        best = sorted(told, key=lambda w: -counts[w].bit_length())[:_MOST]
        wanted, self._written = set(best), dict.fromkeys(best, "")
        for word in _WORD.findall(text):
            folded = word.casefold()
            if folded in wanted:
                self._written[folded] = word
                wanted.remove(folded)
                if not wanted:
                    break

    def lacking(self, chunk: Chunk, line: str) -> list[str]:
        """Those that neither the chunk nor the rest of its context holds, the most telling first."""
        there = {word.casefold() for word in _WORD.findall(f"{line} {chunk.text}")}
        return [w for folded, w in self._written.items() if folded not in there][:_NAMED]
