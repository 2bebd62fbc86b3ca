"""No context: the chunk is embedded alone."""

from collections.abc import Sequence
from typing import ClassVar

from kb.models.embedder import Tokenizer
from kb.records import Chunk, Document
from kb.settings import ContextSettings


class NoContext:
    """Says nothing about any chunk."""

    version: ClassVar[int] = 1
    needs_llm: ClassVar[bool] = False

    def __init__(self, settings: ContextSettings, tokenizer: Tokenizer) -> None:
        pass

    def contexts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """An empty prefix a chunk."""
        return [""] * len(chunks)
