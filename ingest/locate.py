"""What a span knows about its place: lines, pages, headings, kinds, boxes, language."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence

from ingest.language import for_chunk
from kb.models.embedder import Tokenizer
from kb.records import Chunk, Document, Element, Span

_NEWLINE = re.compile(r"\r\n|\n|\r")


def to_chunks(document: Document, spans: Sequence[Span], tokenizer: Tokenizer) -> tuple[Chunk, ...]:
    """Chunks of a document without path and ids, which `index.chunks` adds."""
    place = Place(document)
    return tuple(_chunk(document, span, place, tokenizer) for span in spans)


def count_lines(text: str) -> int:
    """How many lines end in `text`."""
    return sum(1 for _ in _NEWLINE.finditer(text))


class Place:
    """Look-ups by offset in one document."""

    def __init__(self, document: Document) -> None:
        self._elements = document.elements
        self._starts = [e.start for e in document.elements]
        self._breaks = (
            array("q", (m.end() for m in _NEWLINE.finditer(document.text)))
            if document.verbatim
            else None
        )

    def elements(self, start: int, end: int) -> tuple[Element, ...]:
        """The elements that overlap ``[start, end)``."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        overlapping: list[Element] = []
        for at in range(first, len(self._elements)):
            element = self._elements[at]
            if element.start >= end:
                break
            if element.end > start:
                overlapping.append(element)
        return tuple(overlapping)

    def lines(self, start: int, end: int) -> tuple[int, int] | None:
        """First and last source line of ``[start, end)``; None where the format has none."""
        if self._breaks is not None:
            return bisect_right(self._breaks, start) + 1, bisect_right(self._breaks, end - 1) + 1
        spans = [e.lines for e in self.elements(start, end) if e.lines]
        return (min(a for a, _ in spans), max(b for _, b in spans)) if spans else None


def _chunk(document: Document, span: Span, place: Place, tokenizer: Tokenizer) -> Chunk:
    text = document.text[span.start : span.end]
    elements = place.elements(span.start, span.end)
    pages = [e.page for e in elements if e.page is not None]
    return Chunk(
        id="",
        doc_id="",
        path="",
        start=span.start,
        end=span.end,
        text=text,
        title=document.title,
        heading=elements[0].heading if elements else (),
        lines=place.lines(span.start, span.end),
        pages=(min(pages), max(pages)) if pages else None,
        language=for_chunk(text, document.language),
        kinds=tuple(dict.fromkeys(e.kind for e in elements)),
        bboxes=tuple((e.page or 0, *e.bbox) for e in elements if e.bbox),
        tokens=tokenizer.count(text),
    )
