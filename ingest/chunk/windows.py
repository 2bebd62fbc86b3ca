"""Very long documents are cut in windows of their own, so that memory does not grow with them.

A window begins where the text says so, not at a count from the top: an insertion moves the bounds
of the windows near it and no others.
"""

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.chunk.graphemes import Graphemes
from kb.records import Chunk, Document, Element

LEAST, MOST = 1 << 20, 1 << 22  # characters of a window; a document of at most MOST is one window
_HASHED = 48
_NEWLINE = re.compile(r"\r\n|\n|\r")
_LINE_START = re.compile(r"(?<=\n)(?=.)")
_NEAR = 1000  # characters around a bound that are looked at


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a document as a document of its own."""

    document: Document
    start: int  # in the whole
    line: int  # lines of the whole before it

    def restored(self, chunk: Chunk) -> Chunk:
        """A chunk of the window as one of the whole."""
        if not self.start:
            return chunk
        lines = chunk.lines
        if lines and self.document.verbatim:
            lines = (lines[0] + self.line, lines[1] + self.line)
        return replace(
            chunk, start=chunk.start + self.start, end=chunk.end + self.start, lines=lines
        )


def windows(document: Document, least: int = LEAST, most: int = MOST) -> Iterator[Window]:
    """The windows of a document, in order; they cover it, and cut an element only where they must."""
    start = line = 0
    text = document.text
    opens = [
        element.start
        for before, element in zip((None, *document.elements), document.elements, strict=False)
        if before is None or before.kind != "heading"
    ]
    while len(text) - start > most:
        end = _end(text, opens, start, least, most)
        yield Window(_part(document, start, end), start, line)
        line += sum(1 for _ in _NEWLINE.finditer(text, start, end))
        start = end
    yield Window(_part(document, start, len(text)) if start else document, start, line)


def _end(text: str, opens: Sequence[int], start: int, least: int, most: int) -> int:
    """Of the best kind of place at hand the one whose text has the smallest hash."""
    low, high = start + least, start + most
    places = opens[bisect_left(opens, low) : bisect_left(opens, high)]
    if not places:
        places = [match.end() for match in _LINE_START.finditer(text, low, high)]
    if places:
        return min(places, key=lambda at: (_hash(text, at), at))
    blank = text.rfind(" ", high - _NEAR, high)
    end = high if blank < 0 else blank + 1
    zone = end - _NEAR
    return zone + Graphemes(text[zone : end + _NEAR]).left_of(_NEAR)


def _hash(text: str, at: int) -> int:
    return zlib.crc32(text[at : at + _HASHED].encode("utf-8", "surrogatepass"))


def _part(document: Document, start: int, end: int) -> Document:
    elements = document.elements
    low = max(bisect_left(elements, start, key=lambda element: element.end), 0)
    high = bisect_left(elements, end, key=lambda element: element.start)
    parts = (_moved(element, start, end) for element in elements[low:high])
    return replace(
        document,
        text=document.text[start:end],
        elements=tuple(part for part in parts if part.start < part.end),
    )


def _moved(element: Element, start: int, end: int) -> Element:
    return replace(
        element, start=max(element.start, start) - start, end=min(element.end, end) - start
    )
