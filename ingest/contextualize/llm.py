"""Context by an LLM: what a chunk is about, and where in its document it stands."""

from collections.abc import Sequence
from typing import ClassVar

from ingest.contextualize import prompt
from ingest.contextualize.structural import StructuralContext
from kb.digest import digest
from kb.models.embedder import Tokenizer
from kb.records import Chunk, Document
from kb.settings import ContextSettings


class LlmContext:
    """50 to 100 tokens of an LLM that has read the document (Anthropic, "Contextual Retrieval", 2024).

    `ingest.contextualize.asking` does the asking; until an answer is there, and where none comes, the
    structural context stands in.
    """

    version: ClassVar[int] = prompt.VERSION
    needs_llm: ClassVar[bool] = True

    def __init__(self, settings: ContextSettings, tokenizer: Tokenizer) -> None:
        self._most = settings.llm_max_tokens
        self._tokenizer = tokenizer
        self._structural = StructuralContext(settings, tokenizer)

    def contexts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """What stands in, one a chunk: the structural context."""
        return self._structural.contexts(document, chunks)

    def fit(self, answer: str, structural: str) -> str:
        """An answer behind the structural context: one line, its last words dropped until it fits.

        "" where the answer says nothing. Names of files and definitions are what questions ask for,
        and a model may leave them out.
        """
        said = prompt.cleaned(answer)
        words = (f"{structural}: {said}" if structural else said).split() if said else []
        low, high = 0, len(words)  # the most words that fit: fewer words never count more tokens
        while low < high:
            middle = (low + high + 1) // 2
            if self._tokenizer.count(" ".join(words[:middle])) <= self._most:
                low = middle
            else:
                high = middle - 1
        return " ".join(words[:low])


def chunk_key(chunk: Chunk, model: str) -> str:
    """Under which what a model said of a chunk is kept, whatever else of its document changes."""
    return digest("asked", str(prompt.VERSION), model, chunk.text)
