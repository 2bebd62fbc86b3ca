"""Cuts at sections, then blocks, sentences, lines, words."""

from typing import ClassVar

from ingest.chunk.atoms import make_atoms
from ingest.chunk.cut import Cutter
from ingest.chunk.finish import Finisher
from ingest.chunk.overlap import resolve_overlap
from ingest.chunk.reading import read
from kb.models.embedder import EmbedPassages, Tokenizer
from kb.records import Document, Span
from kb.settings import ChunkSettings


class RecursiveChunker:
    """The default: the strongest place first, among equals by content (see `ingest.chunk.cut`).

    A heading goes with what follows it; code, tables and lists stay whole where they fit. Pieces
    have up to ``size - overlap`` tokens (overlap counts for half of size at most); the overlap is
    whole sentences.
    """

    version: ClassVar[int] = 2

    def __init__(
        self, settings: ChunkSettings, tokenizer: Tokenizer, embed: EmbedPassages | None = None
    ) -> None:
        self._size = settings.size
        self._overlap = min(resolve_overlap(settings), settings.size // 2)
        self._tokenizer = tokenizer

    def split(self, document: Document) -> list[Span]:
        """The spans of `document`, in order; [] when it holds no text."""
        reading = read(document, self._tokenizer)
        if reading is None:
            return []
        limit = self._size - self._overlap
        atoms = make_atoms(reading, limit)
        cutter = Cutter(atoms)
        stretches = cutter.merge(cutter.cut((0, len(atoms.start)), limit), limit)
        finisher = Finisher(reading, cutter, self._tokenizer, self._size)
        return finisher.spans(stretches, self._overlap)
