"""The elements of a document that is kept in parts, each with its text and its place in the whole."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.locate import Place, count_lines
from kb.records import Document, Element


@dataclass(frozen=True, slots=True)
class Placed:
    """An element, its text, and the lines of the source that it stands on, where there are any."""

    element: Element
    text: str
    lines: tuple[int, int] | None


def placed_elements(parts: Iterable[Document]) -> Iterator[Placed]:
    """One after the other; a part is held at a time."""
    before = 0
    for part in parts:
        place = Place(part)
        for element in part.elements:
            lines = place.lines(element.start, element.end)
            if lines and part.verbatim:
                lines = (lines[0] + before, lines[1] + before)
            yield Placed(element, part.text[element.start : element.end], lines)
        before += count_lines(part.text)
