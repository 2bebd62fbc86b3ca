"""A chunk as the fold sees it."""

from dataclasses import dataclass

from index.graph.records import Extraction


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk's part in the fold."""

    row: int
    document: str  # path
    extraction: Extraction
