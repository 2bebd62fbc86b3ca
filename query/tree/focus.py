"""What an extractive summary says on a question: the sentences under it that meet the question.

The summary as it is kept was chosen before anyone asked. Its sentences are the sources' own, so others
can be chosen from the same leaves for the question, word for word and each with its place.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from index.raptor.summarize.coverage import Coverage
from index.raptor.summarize.extractive import ROOM, joined
from index.raptor.summarize.sentences import Sentence, of_leaf
from index.reader import GenerationReader
from kb.records import Chunk, Hit
from query.answer.evidence import Evidence

MOST_LEAVES = 24  # of one summary that are read: those nearest to the question
_WORDS = 0.1  # what meeting all of the question's words by letter adds to meaning
_LOW = 5  # percentile of the sentences' scores that is worth nothing


def focused(
    hits: Sequence[Hit], reader: GenerationReader, evidence: Evidence, rows: dict[str, int], *, room: int = ROOM
) -> list[Hit]:
    told = [hit for hit in hits if hit.chunk.kind == "summary" and hit.chunk.quotes]
    leaves: dict[str, list[Sentence]] = {}
    scores: dict[str, NDArray[np.float64]] = {}
    under: dict[str, list[str]] = {}
    for hit in told:
        nearest = _nearest(hit.chunk, reader, evidence, rows)
        under[hit.chunk.id] = [chunk.id for chunk in nearest]
        for chunk in nearest:
            if chunk.id not in leaves:
                leaves[chunk.id] = list(of_leaf(chunk, reader.bm25.terms))
                scores[chunk.id] = _scores(chunk, leaves[chunk.id], evidence)
    every = [sentence for those in leaves.values() for sentence in those]
    if not every:
        return list(hits)
    values = np.concatenate(list(scores.values()))
    low = float(np.percentile(values, _LOW))
    worth = np.clip((values - low) / max(float(values.max()) - low, 1e-9), 0.0, 1.0)
    starts = np.concatenate([[0], np.cumsum([len(those) for those in leaves.values()])]).tolist()
    places = {leaf: range(a, b) for leaf, (a, b) in zip(leaves, pairwise(starts), strict=True)}
    coverage = Coverage(every, worth.tolist())
    out = []
    for hit in hits:
        if hit.chunk.id not in under:
            out.append(hit)
            continue
        of = [place for leaf in under[hit.chunk.id] for place in places[leaf]]
        chosen = coverage.choose(of, room)
        chosen.sort(key=lambda p: (every[p].source.path, every[p].source.source_start))
        said = joined([every[place] for place in chosen])
        out.append(replace(hit, chunk=replace(hit.chunk, text=said.text, end=len(said.text), quotes=said.quotes)))
    return out


def _nearest(chunk: Chunk, reader, evidence, rows) -> list[Chunk]:
    found = np.asarray([rows[leaf] for leaf in chunk.leaves if leaf in rows])
    if len(found) > MOST_LEAVES:
        cosines = reader.vectors_of(found) @ evidence._meaning.vector
        found = np.sort(found[np.argsort(-cosines, kind="stable")[:MOST_LEAVES]])
    return [reader.chunks[int(row)] for row in found]


def _scores(chunk: Chunk, pieces: Sequence[Sentence], evidence: Evidence) -> NDArray[np.float64]:
    spans = [(p.source.source_start - chunk.start, p.source.source_end - chunk.start) for p in pieces]
    return evidence.meaning(chunk, spans) + _WORDS * evidence.words(chunk, spans)
