"""What mode tree does beside the legs: it narrows where they look, and has summaries tell."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from index.derived.joined import JoinedReader
from index.raptor.summarize.extractive import ROOM
from index.reader import GenerationReader
from kb.models.embedder import Embedder
from kb.records import Chunk, Hit
from kb.settings import QuerySettings
from query.answer.evidence import Evidence, meaning_of
from query.hits import Trail
from query.question import Question
from query.tree.descent import Visited, visit
from query.tree.focus import MOST_LEAVES, focused, read_leaves
from query.tree.forest import Forest

Mask = NDArray[np.bool_]
_READ = 1.5  # times k: the best summaries whose leaves are read
_WIDE = 3  # times k: the summaries of a level that the way down leads past


class TreeStep:
    """Of one searcher."""

    def __init__(self, reader: GenerationReader, settings: QuerySettings) -> None:
        self._reader = reader
        self._settings = settings
        self._visited: dict[str, Visited] = {}

    def admitted(self, question: Question, live: Mask | None) -> Mask:
        """The rows that may answer, of a generation with derived chunks, bool (n + m,).

        In a collapsed tree all leaves and summaries; on the way down the summaries that it leads past,
        and in place of those of the lowest level that a filter hides the leaves in their clusters; all
        leaves where it lets no summary through.

        Args:
            question: that is asked.
            live: which leaves a filter lets through; None for all.
        """
        reader = self._reader
        if not isinstance(reader, JoinedReader):
            raise TypeError("no derived chunks")
        if self._settings.tree == "collapsed" or self._forest is None or not self._forest.links:
            return reader.mask(live, ("text", "summary", "card"))
        past = np.zeros(len(reader), np.bool_)
        past[list(self.visited(question).above)] = True
        past &= reader.mask(live, ("summary",))
        mask = past | reader.mask(live, ("card",) if past.any() else ("text", "card"))
        if past.any():
            mask |= self._untold(question, past, self._forest) & reader.mask(live, ("text",))
        return mask

    def _untold(self, question: Question, shown: Mask, forest: Forest) -> Mask:
        """The leaves of clusters on the way whose summary is not shown, and of none whose summary is."""
        masks = {True: np.zeros_like(shown), False: np.zeros_like(shown)}
        for row in self.visited(question).above:
            if forest.level(row) == 1:
                masks[bool(shown[row])][forest.leaves(row)] = True
        return masks[False] & ~masks[True]

    def visited(self, question: Question) -> Visited:
        """The ways that were taken for a question."""
        if self._forest is None:
            return Visited()
        if question.text not in self._visited:
            found = visit(self._forest, self._reader, question, self._times(_WIDE))
            self._visited = {question.text: found}
        return self._visited[question.text]

    def tell(
        self,
        question: Question,
        trail: Trail,
        hits: Sequence[Hit],
        readable: Mask | None,
        wanted: Callable[[Chunk], bool] | None,
        embedder: Callable[[], Embedder],
    ) -> list[Hit]:
        """The hits, the summaries among them with what their leaves say on the question.

        Args:
            question: that was asked.
            trail: how it was answered.
            hits: from it.
            readable: rows that filters and operators let through, bool (n,); None for all.
            wanted: leaves that are not are not read.
            embedder: of the generation.
        """
        hits = [self._with_path(question, hit) for hit in hits]
        if self._forest is None or all(hit.chunk.kind != "summary" for hit in hits):
            return hits
        meaning = meaning_of(question, self._reader, embedder())
        evidence = Evidence(self._reader, question.text, meaning)
        rows = self._leaves(question, trail, readable)
        if wanted is not None:
            rows = [row for row in rows if wanted(self._reader.chunks[row])]
        told = read_leaves(rows, self._reader, evidence)
        return focused(hits, told, ROOM * self._settings.k)

    def _with_path(self, question: Question, hit: Hit) -> Hit:
        """An explained hit with the way that led to it."""
        if hit.explain is None or hit.chunk.kind != "summary":
            return hit
        if self._settings.tree == "collapsed":
            return hit
        path = self.visited(question).path_to(hit.chunk, self._reader)
        return replace(hit, explain=hit.explain | {"path": path})

    def _leaves(self, question: Question, trail: Trail, readable: Mask | None) -> list[int]:
        """Rows of the leaves nearest to the question under each of the best summaries."""
        if self._forest is None:
            return []
        found: set[int] = set()
        summaries = set(self._forest.rows.tolist())
        rows = (row for row in trail.final.rows.tolist() if row in summaries)
        for row in islice(rows, self._times(_READ)):
            under = self._forest.leaves(row)
            under = under if readable is None else under[readable[under]]
            cosines = self._reader.vectors_of(under) @ question.vector
            nearest = under[np.argsort(-cosines, kind="stable")[:MOST_LEAVES]]
            found.update(nearest.tolist())
        return sorted(found)

    def _times(self, factor: float) -> int:
        return int(np.ceil(factor * self._settings.k))

    @cached_property
    def _forest(self) -> Forest | None:
        return Forest(self._reader) if isinstance(self._reader, JoinedReader) else None
