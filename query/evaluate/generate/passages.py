"""From a document to the sentences that questions are made from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.chunk.sentences import sentence_starts
from kb.records import Document, Element
from query.evaluate.generate.words import LANGUAGES, Word, words

_PROSE = frozenset({"paragraph", "list", "quote", "note"})
_LONGEST = 600  # characters of a sentence
_LEAST_WORDS = 6  # that carry something, in a sentence
_STOP = re.compile(r"(?<=[\w)\s])[.!?]\s+")
_MARKUP = re.compile(r"https?://|[|{}<>=\\]|[*_`]{2}|^\s*#")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: ``document.text[start:end] == text``."""

    start: int
    end: int
    text: str
    words: tuple[Word, ...]  # places from the sentence's start
    heading: tuple[str, ...]
    first: bool  # of its passage

    @property
    def carrying(self) -> list[Word]:
        """Its words that are no function words."""
        return [word for word in self.words if word.carries]


def language_of(document: Document) -> str:
    """The language that questions on a document are written in; "" where none is known."""
    return document.language if document.language in LANGUAGES else ""


def sentences(document: Document) -> Iterator[Sentence]:
    """The sentences of running text that say enough to be asked about, in order."""
    language = language_of(document)
    if not language:
        return
    for element in document.elements:
        if element.kind in _PROSE:
            yield from _of_element(document, element, language)


def _starts(text: str) -> Iterator[int]:
    """Of the sentences; what goes on too long is cut at any full stop: OCR writes no capitals."""
    starts = sentence_starts(text)
    for first, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield first
        if end - first > _LONGEST:
            yield from (match.end() for match in _STOP.finditer(text, first, end - 1))


def _of_element(document: Document, element: Element, language: str) -> Iterator[Sentence]:
    text = document.text[element.start : element.end]
    starts = list(_starts(text))
    for first, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = text[first:end]
        start = first + len(piece) - len(piece.lstrip())
        piece = piece.strip()
        if not piece or len(piece) > _LONGEST or _MARKUP.search(piece):
            continue
        found = tuple(words(piece, language))
        if sum(word.carries for word in found) < _LEAST_WORDS:
            continue
        at = element.start + start
        yield Sentence(at, at + len(piece), piece, found, element.heading, first == 0)
