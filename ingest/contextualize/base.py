"""What every contextualizer promises."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from kb.models.embedder import Tokenizer
from kb.records import Chunk, Document
from kb.settings import ContextSettings


class Contextualizer(Protocol):
    """Writes the prefix of each chunk."""

    version: ClassVar[int]  # raised when the prefix for the same input may change
    needs_llm: ClassVar[bool]  # True: `contexts` is what stands in for what an LLM is asked

    def __init__(self, settings: ContextSettings, tokenizer: Tokenizer) -> None: ...

    def contexts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """One prefix a chunk, in order, "" where there is nothing to say.

        At most ``settings.max_tokens`` tokens each.
        """
        ...
