"""What every chunker promises."""

from typing import ClassVar, Protocol

from kb.models.embedder import EmbedPassages, Tokenizer
from kb.records import Document, Span
from kb.settings import ChunkSettings


class Chunker(Protocol):
    """Cuts a document into spans.

    For every document: starts strictly rise, no span is blank or empty, every non-blank character is
    in some span, no span starts or ends inside a grapheme, and ``tokenizer.count(text[start:end])``
    is at most ``settings.size`` (one grapheme of more tokens than that stands alone).
    """

    version: ClassVar[int]  # raised when the cuts for the same input may change

    def __init__(
        self, settings: ChunkSettings, tokenizer: Tokenizer, embed: EmbedPassages | None = None
    ) -> None:
        """`embed` gives unit vectors for sentences; only the semantic chunker asks for it."""
        ...

    def split(self, document: Document) -> list[Span]:
        """The spans of `document`, in order; [] when it holds no text."""
        ...
