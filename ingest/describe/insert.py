"""Puts descriptions into a document, each after what stands on its page, marked as a model's."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from ingest.chunk.sentences import sentence_starts
from ingest.describe.mark import mark_of
from ingest.parse.decode import replace_unsafe
from kb.records import Document, Element

_LONGEST = 500  # characters of one element, so that a chunk of usual size holds it with its mark


def described(document: Document, said: Mapping[int, str], model: str) -> Document:
    """`document` with elements of kind ``description``; its own text stays as it is.

    Args:
        document: as it was read.
        said: what the model says, by page.
        model: its name.
    """
    if not said:
        return document
    mark = mark_of(model, document.language)
    made = _Made()
    waiting = sorted(said.items())
    before = 0
    for element in document.elements:
        while waiting and (element.page or 1) > waiting[0][0]:
            made.describe(*waiting.pop(0), mark)
        made.keep(element, document.text[before : element.end], element.start - before)
        before = element.end
    for page, text in waiting:
        made.describe(page, text, mark)
    return replace(
        document,
        text="".join(made.pieces),
        elements=tuple(made.elements),
        metadata={**document.metadata, "described_by": model, "described_pages": sorted(said)},
    )


class _Made:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.elements: list[Element] = []
        self._length = 0

    def keep(self, element: Element, text: str, gap: int) -> None:
        """Append `text`, in which the element begins after `gap` characters."""
        if self.pieces and not text[:gap]:
            self._append("\n\n")
        start = self._length + gap
        self._append(text)
        self.elements.append(replace(element, start=start, end=self._length))

    def describe(self, page: int, text: str, mark: str) -> None:
        last = self.elements[-1] if self.elements else None
        heading = last.heading if last is not None and (last.page or 1) == page else ()
        for paragraph in _paragraphs(replace_unsafe(text)):
            if self.pieces:
                self._append("\n\n")
            start = self._length
            self._append(f"{mark} {paragraph}")
            self.elements.append(
                Element("description", start, self._length, heading=heading, page=page)
            )

    def _append(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)


def _paragraphs(text: str) -> Iterator[str]:
    """Whole sentences, as many as fit."""
    run = ""
    for sentence in _sentences(" ".join(text.split())):
        if run and len(run) + 1 + len(sentence) > _LONGEST:
            yield run
            run = ""
        run = f"{run} {sentence}".strip()
    if run:
        yield run


def _sentences(text: str) -> Iterable[str]:
    starts = [0, *sentence_starts(text), len(text)]
    return (text[a:b].strip() for a, b in pairwise(starts) if a < b)
