"""Builds the text of formats where text is extracted (HTML, PDF, office files)."""

from dataclasses import dataclass, field

from ingest.parse.decode import replace_unsafe
from ingest.parse.letters import composed
from ingest.parse.sections import Sections
from kb.records import Element, ElementKind

Box = tuple[float, float, float, float]


@dataclass(slots=True)
class ExtractedText:
    """Appends blocks, a blank line between them, and keeps their spans and heading paths."""

    elements: list[Element] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _length: int = 0
    _sections: Sections = field(default_factory=Sections)

    def add(
        self,
        kind: ElementKind,
        text: str,
        *,
        level: int = 0,
        title: str = "",
        lines: tuple[int, int] | None = None,
        page: int | None = None,
        bbox: Box | None = None,
    ) -> None:
        """Append one block; a blank one is left out.

        Letters are composed, except in code. A heading's `title` is its text where none is given.
        """
        text = replace_unsafe(text)
        text = text.strip("\r\n") if kind == "code" else composed(text).strip()
        if not text.strip():
            return
        if self._pieces:
            self._pieces.append("\n\n")
            self._length += 2
        if kind == "heading":
            self._sections.enter(level, " ".join((title or text).split()))
        end = self._length + len(text)
        self.elements.append(
            Element(kind, self._length, end, self._sections.path, level, lines, page, bbox)
        )
        self._pieces.append(text)
        self._length = end

    @property
    def length(self) -> int:
        """Characters appended so far."""
        return self._length

    @property
    def text(self) -> str:
        """Everything appended so far."""
        return "".join(self._pieces)

    def close_sections(self, level: int = 1) -> None:
        """End the open sections at `level` and deeper: what follows stands under none of them."""
        self._sections.close(level)

    def take_back(self) -> None:
        """Remove the last block, a heading of nothing; its section stays open."""
        self.elements.pop()
        self._pieces.pop()
        if self._pieces:
            self._pieces.pop()
        self._length = self.elements[-1].end if self.elements else 0
