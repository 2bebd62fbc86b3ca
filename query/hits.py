"""From places in the final ranking to hits that tell how they got there."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from index.reader import GenerationReader
from kb.records import Duplicate, Hit, LegScore
from query.fuse.base import Fused
from query.graph.linked import Linked
from query.ranking import Ranking
from query.rerank.blend import Blend
from query.select.boost import Boost
from query.select.choose import Pick, Selection


@dataclass(frozen=True, slots=True)
class Trail:
    """How one question was answered, step by step."""

    legs: Mapping[str, Ranking]
    fused: Fused
    # Of the first `rerank_depth` (or `llm_depth`) fused rows, in fused order; None without rerank.
    blend: Blend | None
    final: Ranking
    linked: Linked | None = None  # of all candidates; None without a graph
    boost: Boost | None = None  # of all candidates, in their final order; None without tag weights


def to_hits(
    trail: Trail, chosen: Selection, reader: GenerationReader, gives_probability: bool
) -> list[Hit]:
    """The hits, best first.

    Args:
        trail: of the question.
        chosen: among its candidates.
        reader: of their generation.
        gives_probability: whether the reranker's score is one.
    """
    positions = {name: leg.positions() for name, leg in trail.legs.items()}
    fused = trail.fused.ranking.positions()
    found = []
    for rank, pick in enumerate(chosen.picks, 1):
        row = int(trail.final.rows[pick.place])
        fused_at = fused[row]
        hit = Hit(
            rank=rank,
            score=pick.score,
            chunk=reader.chunks[row],
            legs=_legs(trail, positions, row),
            fusion={name: float(share[fused_at]) for name, share in trail.fused.shares.items()},
            rerank=_rerank_parts(trail, fused_at, gives_probability),
            steps=_steps(trail, pick, row),
            duplicates=tuple(_duplicate(reader, int(trail.final.rows[i])) for i in pick.copies),
        )
        found.append(hit)
    return found


def _legs(
    trail: Trail, positions: Mapping[str, Mapping[int, int]], row: int
) -> dict[str, LegScore]:
    return {
        name: LegScore(found[row] + 1, float(trail.legs[name].scores[found[row]]))
        for name, found in positions.items()
        if row in found
    }


def _duplicate(reader: GenerationReader, row: int) -> Duplicate:
    chunk = reader.chunks[row]
    return Duplicate(chunk.id, chunk.path, chunk.lines, chunk.pages, kind=chunk.kind)


def _rerank_parts(trail: Trail, fused_at: int, is_probability: bool) -> dict[str, float] | None:
    """What the final score of a row is the sum of, apart from rank, raw score and probability."""
    blended = trail.blend
    if blended is None:
        return None
    parts: dict[str, float] = {"rank_before": fused_at + 1}
    if fused_at < len(blended.raw):
        if not np.isnan(blended.raw[fused_at]):
            parts["score"] = float(blended.raw[fused_at])
            if is_probability:
                parts["probability"] = parts["score"]
        parts["rerank_share"] = float(blended.rerank[fused_at])
        if blended.late is not None:
            parts["late_share"] = float(blended.late[fused_at])
        parts["fused_share"] = float(blended.fused[fused_at])
        parts["support"] = float(blended.support[fused_at])
        parts["complement"] = float(blended.complement[fused_at])
    else:
        scores = trail.fused.ranking.scores
        parts["lowest_reranked"] = float(blended.total.min())
        parts["fused_below"] = float(scores[fused_at] - scores[len(blended.raw) - 1])
    return parts


def _steps(trail: Trail, pick: Pick, row: int) -> dict[str, dict[str, float]]:
    """What changed the score of a hit after the rerank; see `Hit.steps`."""
    steps = {}
    if trail.linked is not None:
        steps["links"] = trail.linked.parts(row)
    if trail.boost is not None:
        steps["boost"] = trail.boost.parts(pick.place)
    if pick.diversity is not None:
        steps["diversity"] = pick.diversity
    return steps
