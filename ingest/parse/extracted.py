"""Builds the text of formats where text is extracted (HTML, PDF)."""

from dataclasses import dataclass, field

from ingest.parse.decode import replace_unsafe
from ingest.parse.letters import composed
from ingest.parse.sections import Sections
from kb.records import Element, ElementKind


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
        bbox: tuple[float, float, float, float] | None = None,
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
    def text(self) -> str:
        """Everything appended so far."""
        return "".join(self._pieces)
