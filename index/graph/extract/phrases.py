"""Common nouns as names: what stands after an article or a possessive, up to the next small word.

Without a tagger a verb may stand at the end ("the father thought"); the fold keeps of each phrase the
longest beginning that is said elsewhere, too.
"""

from collections.abc import Iterator

from index.graph.extract.found import Found, Word
from index.graph.extract.words import DETERMINERS, VERBS

STRENGTH = 0.2
TYPE = "term"
_FIRST_ENDS = ("ly",)  # of no noun, nor of what may stand before one
_ENDS = ("ly", "ed", "ó", "aba", "aban", "aron", "ieron")  # the same behind another word
_OF = ("'s ", "’s ", "'s\n", "’s\n")
_LONGEST = 4
_SHORTEST = 3  # letters of a phrase's last word


def phrases(text: str, words: list[Word]) -> Iterator[Found]:
    """The phrases of one sentence, given by its words."""
    for place, word in enumerate(words):
        ends = DETERMINERS.get(word.folded)
        if ends is None:
            continue
        end = place + 1
        while end < len(words) and end - place <= _LONGEST and _goes_on(text, words, end, ends):
            end += 1
        if end > place + 1 and len(words[end - 1].text) >= _SHORTEST:
            first, last = words[place + 1], words[end - 1]
            name = " ".join(text[first.start : last.end].split())
            yield Found(first.start, last.end, name, STRENGTH, TYPE)


def _goes_on(text: str, words: list[Word], at: int, ends: frozenset[str]) -> bool:
    word, gap = words[at], text[words[at - 1].end : words[at].start]
    if gap not in (" ", "\n") and gap not in _OF:
        return False
    if not word.text.islower() or word.folded in ends or word.folded in VERBS:
        return False
    return not word.text.endswith(_FIRST_ENDS if words[at - 1].folded in DETERMINERS else _ENDS)
