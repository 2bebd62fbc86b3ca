"""What of a document is shown to an LLM with a chunk: all of it, or what its window has room for."""

from bisect import bisect_right

from kb.models.llm.base import Block
from kb.models.llm.counting import count
from kb.models.llm.fence import fenced
from kb.records import Chunk, Document

_FRAME = 600  # tokens: instructions, tags, and the error of counting by another model's tokenizer
_PART_SHARE = 0.5  # of the room, for a part of a document that does not fit
_OUTLINE_SHARE = 0.125  # and for its outline


class Surroundings:
    """A document as it is put before its chunks.

    One that has no room goes in as an outline and the part that holds the chunk, cut where its sections
    begin, the same for all chunks of that part; a neighbour of the chunk outside of it is added.

    Args:
        document: to be shown.
        room: tokens for the whole prompt.
    """

    def __init__(self, document: Document, room: int) -> None:
        self._document = document
        text = document.text
        tokens = count(text)
        longest = room - _FRAME
        # the chunk comes besides
        self.whole = tokens + tokens // 8 + 1024 <= longest or tokens * 2 <= longest
        if self.whole:
            self._starts = [0]
            self._blocks = [Block(fenced("document", text), lasting=True)]
            return
        per_token = max(len(text) / max(tokens, 1), 0.5)
        self._starts = _cut(document, max(int(longest * _PART_SHARE * per_token), 200))
        self._blocks = []
        outline = _outline(document, int(longest * _OUTLINE_SHARE * per_token))
        ends = [*self._starts[1:], len(text)]
        for number, (start, end) in enumerate(zip(self._starts, ends, strict=True), 1):
            shown = fenced("document", text[start:end], part=f"{number} of {len(ends)}")
            head = fenced("document", outline, part="outline") + "\n\n" if outline else ""
            self._blocks.append(Block(head + shown, lasting=True))

    def blocks(self, chunk: Chunk, before: str, after: str) -> tuple[Block, ...]:
        """What comes before a chunk of the document; `before` and `after` are its neighbours' texts."""
        at = bisect_right(self._starts, chunk.start) - 1
        shown = self._blocks[at]
        if self.whole:
            return (shown,)
        start = self._starts[at]
        end = self._starts[at + 1] if at + 1 < len(self._starts) else len(self._document.text)
        beside = []
        if before and chunk.start - len(before) < start:
            beside.append(fenced("document", before, part="right before the chunk"))
        if after and chunk.end + len(after) > end:
            beside.append(fenced("document", after, part="right after the chunk"))
        if chunk.heading:
            beside.append(fenced("document", " > ".join(chunk.heading), part="headings above it"))
        return (shown, Block("\n\n".join(beside))) if beside else (shown,)


def _cut(document: Document, most: int) -> list[int]:
    """Where parts of at most `most` characters begin: at sections, else elements, else anywhere."""
    starts, section, block = [0], 0, 0
    for element in document.elements:
        while element.end - starts[-1] > most:
            place = max(section, 0) if section > starts[-1] else block
            if element.start > starts[-1] and element.start - starts[-1] <= most:
                place = max(place, element.start) if place <= starts[-1] else place
            starts.append(place if place > starts[-1] else starts[-1] + most)
        if element.kind == "heading":
            section = element.start
        block = element.start
    while len(document.text) - starts[-1] > most:
        starts.append(starts[-1] + most)
    return starts


def _outline(document: Document, most: int) -> str:
    """The headings, as many levels of them as fit into `most` characters."""
    headings = [
        (e.level or 1, " ".join(document.text[e.start : e.end].split()))
        for e in document.elements
        if e.kind == "heading"
    ]
    title = document.title or ""
    for deepest in range(max((level for level, _ in headings), default=0), 0, -1):
        lines = [f"{'  ' * (level - 1)}{text}" for level, text in headings if level <= deepest]
        outline = "\n".join([title, *lines] if title else lines)
        if len(outline) <= most:
            return outline
    return title[:most]
