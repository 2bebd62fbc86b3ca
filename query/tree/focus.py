"""What the leaves under summaries say on a question: their own sentences, each told once.

A summary was made before anyone asked: it is good for finding what belongs together, and holds little
of what a question wants. So a summary that is a hit tells what the leaves under it say on the question,
word for word and each sentence with its place. Measured by benchmarks/raptor.py: without this neither
extractive summaries nor an LLM's meet broad questions better than passages do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from index.raptor.summarize.coverage import Coverage
from index.raptor.summarize.extractive import joined
from index.raptor.summarize.sentences import Sentence, of_leaf
from index.reader import GenerationReader
from kb.records import Expansion, Hit
from query.answer.evidence import Evidence

KIND = "question"  # of the expansion
MOST_LEAVES = 24  # under one summary that are read: those nearest to the question
_WORDS = 0.1  # what meeting all of the question's words by letter adds to meaning
_LOW = 5  # percentile of the sentences' scores that is worth nothing

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Told:
    """Sentences of leaves, and what each is worth for the question."""

    sentences: list[Sentence]
    scores: list[float]
    leaves: list[str]  # of which each is


def focused(hits: Sequence[Hit], told: Told, room: int) -> list[Hit]:
    """The hits, each summary with what its leaves say on the question as `Hit.expanded`.

    Sentences are chosen for all hits together, and told by the best summary that stands on their leaf;
    leaves that are hits themselves are left to these. A summary that has nothing left to tell goes.

    Args:
        hits: best first.
        told: what the leaves say.
        room: characters for all of them.
    """
    owners = _owners(hits)
    places = [place for place, leaf in enumerate(told.leaves) if leaf in owners]
    if not places:
        return list(hits)
    chosen = Coverage(told.sentences, _worth(told.scores)).choose(places, room)
    of_hit: dict[int, list[Sentence]] = {}
    for place in chosen:
        of_hit.setdefault(owners[told.leaves[place]], []).append(told.sentences[place])
    kept = [hit for hit in hits if hit.rank in of_hit or hit.chunk.kind != "summary"]
    return [
        replace(
            hit,
            rank=rank,
            expanded=_expansion(of_hit[hit.rank], rank) if hit.rank in of_hit else None,
        )
        for rank, hit in enumerate(kept, 1)
    ]


def _owners(hits: Sequence[Hit]) -> dict[str, int]:
    """The rank of the summary that tells of each leaf."""
    owners: dict[str, int] = {}
    for hit in hits:
        if hit.chunk.kind == "summary":
            for leaf in hit.chunk.leaves:
                owners.setdefault(leaf, hit.rank)
    shown = {hit.chunk.id for hit in hits if hit.chunk.kind == "text"}
    return {leaf: rank for leaf, rank in owners.items() if leaf not in shown}


def read_leaves(rows: Sequence[int], reader: GenerationReader, evidence: Evidence) -> Told:
    """The sentences of leaves, judged by the question."""
    told = Told([], [], [])
    for row in rows:
        chunk = reader.chunks[row]
        pieces = list(of_leaf(chunk, reader.bm25.terms))
        spans = [
            (piece.source.source_start - chunk.start, piece.source.source_end - chunk.start)
            for piece in pieces
            if piece.source is not None
        ]
        scores = evidence.meaning(chunk, spans, row) + _WORDS * evidence.words(chunk, spans)
        told.sentences.extend(pieces)
        told.scores.extend(scores.tolist())
        told.leaves.extend([chunk.id] * len(pieces))
    return told


def _worth(scores: Sequence[float]) -> list[float]:
    """Scaled between a low percentile, 0, and the best, 1."""
    low, high = float(np.percentile(scores, _LOW)), max(scores)
    scaled = (np.asarray(scores) - low) / max(high - low, 1e-9)
    found: list[float] = np.clip(scaled, 0.0, 1.0).tolist()
    return found


def _expansion(sentences: Sequence[Sentence], rank: int) -> Expansion:
    def place(sentence: Sentence) -> tuple[str, int]:
        source = sentence.source
        return (source.path, source.source_start) if source else ("", 0)

    said = joined(sorted(sentences, key=place))
    return Expansion(KIND, said.text, 0, len(said.text), ranks=(rank,), quotes=said.quotes)
