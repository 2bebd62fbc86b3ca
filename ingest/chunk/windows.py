"""Very long documents are cut in windows of their own, so that memory does not grow with them.

A window begins where the text says so, not at a count from the top: an insertion moves the bounds
of the windows near it and no others.
"""

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

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

    @property
    def end(self) -> int:
        """Where it ends in the whole."""
        return self.start + len(self.document.text)

    def restored(self, chunk: Chunk) -> Chunk:
        """A chunk of the window as one of the whole."""
        return self._moved(chunk, 1)

    def local(self, chunk: Chunk) -> Chunk:
        """A chunk of the whole as one of the window."""
        return self._moved(chunk, -1)

    def _moved(self, chunk: Chunk, sign: int) -> Chunk:
        if not self.start:
            return chunk
        by, lines = sign * self.start, chunk.lines
        if lines and self.document.verbatim:
            lines = (lines[0] + sign * self.line, lines[1] + sign * self.line)
        return replace(chunk, start=chunk.start + by, end=chunk.end + by, lines=lines)


def windows(
    document: Document,
    least: int = LEAST,
    most: int = MOST,
    elements: Iterable[Element] | None = None,
) -> Iterator[Window]:
    """The windows of a document, in order; they cover it, and cut an element only where they must.

    Args:
        document: what is to be cut.
        least: characters a window has at least, the last one apart.
        most: characters it has at most.
        elements: taken in place of the document's own, no further than the window in hand needs.
    """
    start = line = 0
    text = document.text
    if elements is None and len(text) <= most:
        yield Window(document, 0, 0)
        return
    queue = _Queue(document.elements if elements is None else elements)
    while len(text) - start > most:
        queue.fill(start + most)
        end = _end(text, queue.opens, start, least, most)
        part = replace(document, text=text[start:end], elements=queue.take(start, end))
        yield Window(part, start, line)
        line += sum(1 for _ in _NEWLINE.finditer(text, start, end))
        start = end
    queue.fill(len(text))
    part = replace(document, text=text[start:], elements=queue.take(start, len(text)))
    yield Window(part, start, line)


def joined(parts: Iterable[Document]) -> Iterator[Window]:
    """The windows of a document whose consecutive `parts` are given; a part that is long has several."""
    start = line = 0
    for part in parts:
        for window in windows(part):
            yield replace(window, start=window.start + start, line=window.line + line)
        start += len(part.text)
        line += sum(1 for _ in _NEWLINE.finditer(part.text))


def with_chunks(
    windowed: Iterator[Window], chunks: Iterable[Chunk]
) -> Iterator[tuple[Window, list[Chunk]]]:
    """Each window with the chunks of the whole that begin in it, as ones of the window."""
    window = next(windowed)
    inside: list[Chunk] = []
    for chunk in chunks:
        while chunk.start >= window.end:
            yield window, inside
            window, inside = next(windowed), []
        inside.append(window.local(chunk))
    yield window, inside


class _Queue:
    """The elements from the window in hand on, as far as they have been looked at."""

    def __init__(self, elements: Iterable[Element]) -> None:
        self.opens: list[int] = []  # starts of those that no heading stands right before
        self._source = iter(elements)
        self._ahead: list[Element] = []
        self._after_heading = False

    def fill(self, until: int) -> None:
        """Look at all elements that start before `until`, and at one more."""
        while not self._ahead or self._ahead[-1].start < until:
            element = next(self._source, None)
            if element is None:
                return
            if not self._after_heading:
                self.opens.append(element.start)
            self._after_heading = element.kind == "heading"
            self._ahead.append(element)

    def take(self, start: int, end: int) -> tuple[Element, ...]:
        """The elements of ``[start, end)``, cut to it and counted from `start`; what went by is dropped."""
        taken = [
            _moved(element, start, end)
            for element in self._ahead
            if element.start < end and element.end > start
        ]
        self._ahead = [element for element in self._ahead if element.end > end]
        self.opens = self.opens[bisect_left(self.opens, end) :]
        return tuple(taken)


def _end(text: str, opens: Sequence[int], start: int, least: int, most: int) -> int:
    """Of the best kind of place at hand the one whose text has the smallest hash."""
    low, high = start + least, start + most
    places = opens[bisect_left(opens, low) : bisect_left(opens, high)]
    if not places:
        places = [match.end() for match in _LINE_START.finditer(text, low, high)]
    if places:
        return min(places, key=lambda at: (_hash(text, at), at))
    from ingest.chunk.graphemes import Graphemes  # numpy, which few documents come to need

    blank = text.rfind(" ", high - _NEAR, high)
    end = high if blank < 0 else blank + 1
    zone = end - _NEAR
    return zone + Graphemes(text[zone : end + _NEAR]).left_of(_NEAR)


def _hash(text: str, at: int) -> int:
    return zlib.crc32(text[at : at + _HASHED].encode("utf-8", "surrogatepass"))


def _moved(element: Element, start: int, end: int) -> Element:
    return replace(
        element, start=max(element.start, start) - start, end=min(element.end, end) - start
    )
