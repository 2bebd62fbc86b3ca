"""The way down a forest of summaries: top levels first, the best children next."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.records import Chunk
from query.question import Question
from query.tree.forest import Forest, Rows


@dataclass(frozen=True, slots=True)
class Visited:
    """The summaries on the ways that were taken."""

    above: dict[int, int] = field(
        default_factory=dict
    )  # row → row of the one that led to it, or -1

    def path_to(self, chunk: Chunk, reader: GenerationReader) -> list[str]:
        """Names of the summaries from the top to this one; empty where the way did not lead to it."""
        row = next((row for row in self.above if reader.chunks[row].id == chunk.id), -1)
        names: list[str] = []
        while row >= 0:
            names.append(reader.chunks[row].path)
            row = self.above[row]
        return names[::-1]


def visit(forest: Forest, reader: GenerationReader, question: Question, wide: int) -> Visited:
    """The best `wide` summaries of the top, then the best `wide` below these, to the lowest level.

    A summary is as good as its vector is near to the question's, the handicap of another language
    taken off. What a filter hides leads on to what is below it: whether it may answer is not asked
    here.
    """
    visited = Visited()
    links = forest.links
    if links is None or len(links) == 0:
        return visited
    nearness = _nearness(forest.rows, reader, question)
    waiting = dict.fromkeys(links.tops.tolist(), -1)
    while waiting:
        order = sorted(waiting, key=lambda place: (-nearness[place], place))[:wide]
        below: dict[int, int] = {}
        for place in order:
            row = int(forest.rows[place])
            visited.above.setdefault(row, waiting[place])
            if links.levels[place] > 1:
                for child in links.below(place).tolist():
                    below.setdefault(child, row)
        waiting = below
    return visited


def _nearness(rows: Rows, reader: GenerationReader, question: Question) -> NDArray[np.float32]:
    found = reader.vectors_of(rows) @ question.vector
    foreign = question.foreign(reader)
    if foreign is not None:
        found = found + np.float32(question.language_gap) * foreign[rows]
    return np.asarray(found, np.float32)
