"""Names by their capitals: runs of capitalised words, single ones and acronyms."""

import re
from collections.abc import Iterator

from index.graph.extract.found import Found, Word
from index.graph.extract.types import type_of
from index.graph.extract.words import (
    EVENTS,
    LINKS,
    ORGANIZATIONS,
    PEOPLE,
    PLACES,
    STARTERS,
    VERBS,
    WORKS,
    singular,
)
from index.graph.names import TITLES
from index.graph.people import GIVEN

KINDS = ORGANIZATIONS | PLACES | EVENTS | WORKS | PEOPLE
_LONGEST = 8  # words of one name
_ACRONYM = re.compile(r"(?=[A-Z\d]*[A-Z][A-Z\d]*[A-Z])[A-Z][A-Z\d]{1,7}s?|(?:[A-Z]\.){1,4}[A-Z]")
_OPENS = re.compile(r"[\"“”«‘'¿¡(\[:—–*_>#|]\s*$")
_SHOUT = 0.5  # of a sentence's words in capitals: it is written so for emphasis, or a heading
_VERB_ENDS = ("ing", "ando", "iendo")
_POSSESSIVE = re.compile(r"['’][sS] ")


def capitals(text: str, words: list[Word]) -> Iterator[Found]:
    """The names of one sentence, given by its words."""
    if not words or sum(word.text.isupper() for word in words) > max(1, _SHOUT * len(words)):
        return
    place = 0
    while place < len(words):
        if not _capital(words[place]):
            place += 1
            continue
        end = _with_kind(text, words, _run(text, words, place))
        yield from _name(text, words, place, end)
        place = end


def is_acronym(word: str) -> bool:
    """Two capitals or more, digits allowed: NASA, BM25, U.S."""
    return _ACRONYM.fullmatch(word) is not None


def _capital(word: Word) -> bool:
    return word.text[0].isupper()


def _run(text: str, words: list[Word], first: int) -> int:
    """The place after the last word of the run that begins at `first`."""
    end = first + 1
    while end < len(words) and end - first < _LONGEST:
        if not _joined(text, words[end - 1], words[end]):
            break
        if _capital(words[end]) or _numbers(words[first:end], words[end]):
            end += 1
            continue
        bridge = _bridge(text, words, end)
        if not bridge:
            break
        end = bridge
    return end


def _with_kind(text: str, words: list[Word], end: int) -> int:
    """The place after the common noun that says what a name is of, if one follows: Dulce military base."""
    for last in (end, end + 1):
        if last >= len(words) or text[words[last - 1].end : words[last].start] != " ":
            return end
        word = words[last]
        if not word.text.islower() or word.folded in STARTERS or word.folded in VERBS:
            return end
        if singular(word.folded) in KINDS and words[end - 1].folded not in STARTERS:
            return last + 1
    return end


def _joined(text: str, before: Word, after: Word) -> bool:
    gap = text[before.end : after.start]
    if gap in (" ", "\n", " & ") or _POSSESSIVE.fullmatch(gap):
        return True
    return gap == ". " and (len(before.text) == 1 or before.folded in TITLES)


def _numbers(run: list[Word], word: Word) -> bool:
    """Apollo 11, not the year after a name."""
    return len(word.text) < 4 and word.text.isdigit() and run[-1].folded not in STARTERS


def _bridge(text: str, words: list[Word], at: int) -> int:
    """Where the run goes on after small words between two capitals; 0 where it does not."""
    for end in (at + 1, at + 2):
        if end >= len(words) or words[end - 1].folded not in LINKS or words[end - 1].folded == "y":
            return 0
        if not _joined(text, words[end - 1], words[end]):
            return 0
        if _capital(words[end]):
            return end + 1
    return 0


def _name(text: str, words: list[Word], first: int, end: int) -> Iterator[Found]:
    opening = all(word.text[0].isdigit() for word in words[:first]) or bool(
        _OPENS.search(text[words[first - 1].end : words[first].start])
    )
    while first < end and words[first].folded in STARTERS and not is_acronym(words[first].text):
        first += 1
        opening = False
    if opening and first + 1 < end and _is_verb(words[first]):
        first += 1
        opening = False
    while first < end and words[end - 1].folded in STARTERS and not words[end - 1].text.isdigit():
        end -= 1
    while first < end and not _capital(words[first]):
        first += 1
    run = words[first:end]
    if not run or (len(run) == 1 and len(run[0].text) < 2):
        return
    name = text[run[0].start : run[-1].end].replace("\n", " ")
    yield Found(run[0].start, run[-1].end, name, _strength(run, opening), type_of(run))


def _is_verb(word: Word) -> bool:
    """Whether a sentence's first word ends as a verb does, before a name: "Watching Jordan"."""
    return word.folded.endswith(_VERB_ENDS) and word.folded not in GIVEN


def _strength(run: list[Word], opening: bool) -> float:
    if len(run) > 1 and not run[1].text.isdigit():
        return 1.0 if not opening or _capital(run[1]) else 0.3
    if is_acronym(run[0].text):
        return 0.9
    if run[0].folded in TITLES:
        return 0.2
    return 0.3 if opening else 0.7
