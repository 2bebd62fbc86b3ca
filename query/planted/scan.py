"""Looks through a whole generation for text that looks like orders to a model."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.records import Chunk
from query.planted.find import Suspicion, suspicions


@dataclass(frozen=True, slots=True)
class Planted:
    """A suspicious place in a chunk."""

    chunk: Chunk
    suspicion: Suspicion

    @property
    def excerpt(self) -> str:
        """What was found, on one line."""
        found = self.suspicion
        return " ".join(self.chunk.text[found.start : found.end].split())

    @property
    def line(self) -> int | None:
        """Where the format has lines: that of the place, or the passage's first."""
        chunk = self.chunk
        if chunk.lines is None:
            return None
        first, last = chunk.lines
        if chunk.text.rstrip("\n").count("\n") != last - first:
            return first
        return first + chunk.text.count("\n", 0, self.suspicion.start)


def scan(reader: GenerationReader, allowed: NDArray[np.bool_] | None) -> Iterator[Planted]:
    """Every suspicious place in the rows that are allowed, in the order of rows."""
    for row in range(len(reader)):
        if allowed is None or allowed[row]:
            chunk = reader.chunks[row]
            for suspicion in suspicions(chunk.text):
                yield Planted(chunk, suspicion)
