"""A document made ready to be cut: its blocks, graphemes and tokens."""

from dataclasses import dataclass

from ingest.chunk.graphemes import Graphemes
from ingest.chunk.tokens import Tokens, read_tokens
from kb.models.embedder import Tokenizer
from kb.records import Document, Element, ElementKind


@dataclass(frozen=True, slots=True)
class Block:
    """An element without blanks around it, bounds on graphemes."""

    kind: ElementKind
    start: int
    end: int
    level: int  # headings only


@dataclass(frozen=True, slots=True)
class Reading:
    """What all chunkers cut."""

    text: str
    blocks: list[Block]
    graphemes: Graphemes
    tokens: Tokens

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """Bounds without blanks around them."""
        return self.graphemes.trim(self.text, start, end)


def read(document: Document, tokenizer: Tokenizer) -> Reading | None:
    """`document` with its tokens counted; None when it holds no text."""
    text = document.text
    graphemes = Graphemes(text)
    elements = document.elements or (Element("paragraph", 0, len(text)),)
    blocks: list[Block] = []
    for element in elements:
        floor = blocks[-1].end if blocks else 0
        start = max(floor, graphemes.left_of(element.start))
        end = graphemes.right_of(min(element.end, len(text)))
        start, end = graphemes.trim(text, start, end)
        if start < end and start >= floor:
            blocks.append(Block(element.kind, start, end, element.level))
    if not blocks:
        return None
    tokens = read_tokens(text, blocks[0].start, blocks[-1].end, tokenizer, graphemes)
    return Reading(text, blocks, graphemes, tokens)
