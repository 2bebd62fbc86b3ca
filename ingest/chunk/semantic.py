"""Cuts where the topic turns."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ingest.chunk.atoms import make_atoms
from ingest.chunk.cut import Cutter, Stretch
from ingest.chunk.finish import Finisher
from ingest.chunk.overlap import resolve_overlap
from ingest.chunk.reading import Reading, read
from ingest.chunk.turns import (
    cut_at_turns,
    cut_to_size,
    distances,
    join_small,
    sentence_places,
    sentence_texts,
)
from kb.errors import UsageError
from kb.models.embedder import EmbedPassages, Tokenizer
from kb.records import Document, Span
from kb.settings import ChunkSettings


class SemanticChunker:
    """Cuts where the sentences before and after a place are least alike.

    The distance of a place is one minus the cosine of the summed vectors of up to ``window``
    sentences on each side. A place is a turn where the distance reaches the given percentile of
    the document's distances, or the cosine falls below ``threshold`` (absolute). Turns are taken
    from the sharpest on, where both sides keep ``min_size`` tokens (0: a quarter of size); what is
    still above the size is cut at its sharpest place, and where there is none as `RecursiveChunker`
    does.
    """

    version: ClassVar[int] = 2

    def __init__(
        self, settings: ChunkSettings, tokenizer: Tokenizer, embed: EmbedPassages | None = None
    ) -> None:
        """Raises `UsageError` for bad sizes, or when there is no `embed`."""
        if embed is None:
            raise UsageError("the semantic chunker needs an embedder for its sentences")
        self._settings = settings
        self._overlap = min(resolve_overlap(settings), settings.size // 2)
        self._tokenizer = tokenizer
        self._embed = embed

    def split(self, document: Document) -> list[Span]:
        """The spans of `document`, in order; [] when it holds no text."""
        reading = read(document, self._tokenizer)
        if reading is None:
            return []
        limit = self._settings.size - self._overlap
        atoms = make_atoms(reading, limit)
        cutter = Cutter(atoms)
        stretches = self._stretches(reading, cutter, limit)
        finisher = Finisher(reading, cutter, self._tokenizer, self._settings.size)
        return finisher.spans(stretches, self._overlap)

    def _stretches(self, reading: Reading, cutter: Cutter, limit: int) -> list[Stretch]:
        atoms = cutter.atoms
        sizes = (min(self._settings.min_size or self._settings.size // 4, limit), limit)
        whole = (0, len(atoms.start))
        places = sentence_places(atoms)
        if not places or atoms.cost(*whole) < 2 * sizes[0]:
            return cutter.cut(whole, limit)
        vectors = self._embed(sentence_texts(reading, atoms, places, self._settings.size))
        distance = distances(vectors, self._settings.window)
        turns = cut_at_turns(atoms, places, distance, self._floor(distance), sizes[0])
        pieces = [
            piece
            for turn in turns
            for fitted in cut_to_size(atoms, turn, places, distance, sizes)
            for piece in cutter.cut(fitted, limit)
        ]
        return join_small(atoms, pieces, sizes)

    def _floor(self, distance: NDArray[np.float64]) -> float:
        threshold = self._settings.threshold
        if self._settings.threshold_kind == "absolute":
            return float(np.nextafter(1.0 - threshold, 2.0))  # cosine strictly below
        return float(np.percentile(distance, threshold))
