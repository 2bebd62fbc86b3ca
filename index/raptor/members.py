"""What a summariser is given, and what it gives back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kb.records import Chunk, Quote


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One text of a cluster: a leaf, or a summary of the level below."""

    id: str  # of the chunk, or of the node
    text: str  # without context
    language: str  # ISO 639-1, "" when unknown
    leaves: tuple[str, ...]  # chunk ids it stands on, in document order; a leaf: itself
    quotes: tuple[Quote, ...]  # which leaf each sentence of a summary was taken from; leaf: none
    chunk: Chunk | None  # the leaf's; None for a summary
    vector: NDArray[np.float32]  # (d,), a unit row


@dataclass(frozen=True, slots=True)
class Summary:
    """What a cluster's members say together."""

    text: str
    quotes: tuple[Quote, ...] = ()  # spans of `text`, in order; none where an LLM wrote it
    stood_in: str = ""  # why it is not what the named summariser would have written
    pending: bool = False  # a cap kept an LLM from being asked: ask again in the next run


class Summarizer(Protocol):
    """Says briefly what the members of a cluster say."""

    @property
    def name(self) -> str:
        """As in ``raptor.summarizer``."""
        ...

    @property
    def version(self) -> str:
        """Changes with what it would write; part of a summary's key."""
        ...

    def summarize(self, clusters: Sequence[Sequence[Member]]) -> list[Summary]:
        """One summary for each cluster, in order; its text is never blank.

        Args:
            clusters: Of one level, some hundreds at most, none empty, so that an LLM can be asked
                about many at once. Members are in document order: by path, then by place.
        """
        ...
