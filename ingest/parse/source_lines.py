"""Elements of formats whose text is the file itself, given by lines."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ingest.parse.sections import Sections
from kb.records import Element, ElementKind

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def each_line(text: str) -> Iterator[tuple[int, str]]:
    """Where each line starts, and the line with its end, one at a time."""
    return ((match.start(), match[0]) for match in _LINE.finditer(text))


@dataclass(frozen=True, slots=True)
class Block:
    """Lines ``first`` to ``last - 1`` of a text, from 0; `level` and `title` are a heading's."""

    kind: ElementKind
    first: int
    last: int
    level: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class SourceLines:
    """A text and where its lines start; CRLF, CR and LF end a line and stay in the text."""

    text: str
    starts: Sequence[int]  # one more than there are lines; the last is the text's length

    @classmethod
    def of(cls, text: str, start: int = 0) -> "SourceLines":
        """The lines of ``text[start:]``; offsets stay those of `text`."""
        starts = array("q", (match.start() for match in _LINE.finditer(text, start)))
        starts.append(len(text))
        return cls(text, starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> str:
        return self.text[self.starts[index] : self.starts[index + 1]].rstrip("\r\n")

    def each(self) -> Iterator[str]:
        """Every line without its end, one at a time."""
        return (self[i] for i in range(len(self)))

    def all(self) -> list[str]:
        """Every line without its end."""
        return list(self.each())

    def elements(self, blocks: Sequence[Block]) -> tuple[Element, ...]:
        """One element a block, blank edges cut off; lines in no block become paragraphs."""
        sections = Sections()
        elements: list[Element] = []
        for block in self._without_gaps(blocks):
            span = self.trimmed(block.first, block.last, indented=block.kind == "code")
            if span is None:
                continue
            if block.kind == "heading":
                sections.enter(block.level, block.title)
            elements.append(Element(block.kind, *span, heading=sections.path, level=block.level))
        return tuple(elements)

    def _without_gaps(self, blocks: Sequence[Block]) -> Iterable[Block]:
        done = 0
        for block in blocks:
            first = max(block.first, done)
            if first > done:
                yield Block("paragraph", done, first)
            if block.last > first:
                yield Block(block.kind, first, block.last, block.level, block.title)
                done = block.last
        if done < len(self):
            yield Block("paragraph", done, len(self))

    def trimmed(self, first: int, last: int, indented: bool) -> tuple[int, int] | None:
        """The span of lines ``first`` to ``last - 1`` without blank edges, None where all is blank.

        `indented`: the indentation of its first line stays.
        """
        start, end = self.starts[first], self.starts[min(last, len(self))]
        raw = self.text[start:end]
        body = raw.lstrip()
        if not body:
            return None
        lead = raw[: len(raw) - len(body)]
        if indented:
            lead = lead[: max(lead.rfind("\n"), lead.rfind("\r")) + 1]
        return start + len(lead), start + len(raw.rstrip())
