"""The members of a cluster as sentences, each of which knows where it was taken from."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from index.raptor.members import Member
from ingest.chunk.sentences import sentence_starts
from ingest.chunk.units import lines_of, units
from kb.records import Chunk, Quote

LONGEST = 400  # characters of one piece; what is longer is cut at a blank
# What a model reads as about one token; from U+2E80 on (Chinese, Japanese …) a character is one.
_PIECE = re.compile(r"[^\W\u2e80-\U0003ffff]{1,6}|\S")
_PIECE_COST = 5

Terms = Callable[[str, str], list[str]]  # text, language → index terms


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of a member that can stand alone: a sentence, a table's row, the head of some code."""

    text: str
    terms: frozenset[str]
    cost: int  # room it takes: about its characters where it is prose, more where it is code
    source: Quote | None  # start and end are not set yet; None: of an LLM's words
    cut: bool = False  # the source goes on


def sentences(member: Member, terms: Terms) -> list[Sentence]:
    """Those of one member, in order, never none."""
    if member.chunk is not None:
        made = list(of_leaf(member.chunk, terms))
    elif member.quotes:
        made = list(_of_quotes(member, terms))
    else:
        made = list(_of_text(member, terms))
    return made


def of_leaf(chunk: Chunk, terms: Terms) -> Iterator[Sentence]:
    """Those of a passage, never none."""
    found = [(unit.start, unit.end, unit.kind == "block") for unit in units(chunk)]
    for start, end, is_block in found or [_trimmed(chunk.text)]:
        stop = _stop(chunk.text, start, end)
        text = chunk.text[start:stop]
        shown = text if is_block else " ".join(text.split())
        lines = lines_of(chunk, start, stop)
        source = Quote(
            0, 0, chunk.id, chunk.start + start, chunk.start + stop, chunk.path, lines, chunk.pages
        )
        yield _sentence(shown, chunk.language, terms, source, stop < end)


def _of_quotes(member: Member, terms: Terms) -> Iterator[Sentence]:
    for quote in member.quotes:
        text = member.text[quote.start : quote.end]
        cut = member.text.startswith("…", quote.end)
        yield _sentence(text, member.language, terms, quote, cut)


def _of_text(member: Member, terms: Terms) -> Iterator[Sentence]:
    starts = sentence_starts(member.text)
    for start, end in zip(starts, [*starts[1:], len(member.text)], strict=True):
        text = " ".join(member.text[start:end].split())
        if text:
            yield _sentence(text, member.language, terms, None, False)


def _sentence(text: str, language: str, terms: Terms, source: Quote | None, cut: bool) -> Sentence:
    cost = _PIECE_COST * len(_PIECE.findall(text))
    return Sentence(text, frozenset(terms(text, language)), cost, source, cut)


def _trimmed(text: str) -> tuple[int, int, bool]:
    """All of a text in which nothing stands out."""
    return len(text) - len(text.lstrip()), len(text.rstrip()), False


def _stop(text: str, start: int, end: int) -> int:
    """Where a piece is cut that is too long: before the word that does not fit."""
    if end - start <= LONGEST:
        return end
    head = text[start : start + LONGEST]
    words = head.rsplit(None, 1)[0]
    return start + (len(words) if 2 * len(words) > LONGEST else LONGEST)
