"""Builds the text of formats that are a long row of records (CSV, JSON), in little memory."""

from array import array
from collections.abc import Iterator

from ingest.parse.decode import replace_unsafe
from ingest.parse.letters import composed
from kb.records import Element, ElementKind

Lines = tuple[int, int]  # first and last line in the source


class RecordText:
    """Appends records, a blank line between them, and makes their elements when they are asked for."""

    def __init__(self, kind: ElementKind) -> None:
        self._kind: ElementKind = kind
        self._pieces: list[str] = []
        self._length = 0
        self._spans = array("q")  # start, end, first line, last line, heading; and so on
        self._headings: dict[tuple[str, ...], int] = {}
        self._other: dict[int, ElementKind] = {}  # by start: elements of another kind

    def add(
        self,
        text: str,
        lines: Lines,
        heading: tuple[str, ...] = (),
        kind: ElementKind | None = None,
    ) -> None:
        """Append one record, or the heading above one; a blank one is left out.

        `heading`: the titles of the sections around it; a heading includes its own.
        """
        text = composed(replace_unsafe(text)).strip()
        if not text:
            return
        if self._pieces:
            self._pieces.append("\n\n")
            self._length += 2
        if kind is not None and kind != self._kind:
            self._other[self._length] = kind
        end = self._length + len(text)
        number = self._headings.setdefault(heading, len(self._headings))
        self._spans.extend((self._length, end, *lines, number))
        self._pieces.append(text)
        self._length = end

    def finish(self) -> tuple[str, Iterator[Element]]:
        """The text, and its elements one at a time; the builder is spent."""
        text = "".join(self._pieces)
        self._pieces.clear()
        return text, self._elements()

    def _elements(self) -> Iterator[Element]:
        headings = list(self._headings)
        spans = self._spans
        for i in range(0, len(spans), 5):
            start, end, first, last, number = spans[i : i + 5]
            kind = self._other.get(start, self._kind)
            level = 1 if kind == "heading" else 0
            yield Element(kind, start, end, headings[number], level, (first, last))
