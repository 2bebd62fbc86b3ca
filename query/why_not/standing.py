"""How far rows came: in each leg, in the fusion, among the candidates, and which step dropped them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kb.records import LegScore
from query.ranking import Ranking
from query.select.prune import MOST
from query.why_not.runs import Run
from query.why_not.verdict import Step

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Standing:
    """The best of the rows, where it stands, and why it is no hit."""

    row: int
    step: Step
    reason: str
    legs: dict[str, LegScore | None]
    rank: int | None = None  # of a hit, or among all candidates that stay apart
    fused: LegScore | None = None
    reranked: LegScore | None = None
    head: int | None = None  # the row that it was folded into


def standing(run: Run, targets: Rows) -> Standing:
    """Where the best of the targets stands; each of them may answer."""
    final = run.trail.final.positions()
    legs = run.legs()
    inside = [int(row) for row in targets if int(row) in final]
    if inside:
        return _candidate(run, min(inside, key=lambda row: final[row]), final, legs)
    positions = {name: leg.positions() for name, leg in legs.items()}
    first = {
        int(row): min((at[int(row)] for at in positions.values() if int(row) in at), default=None)
        for row in targets
    }
    found = {row: at for row, at in first.items() if at is not None}
    if not found:
        return Standing(
            int(targets[0]), "words", "it holds no word of the question", dict.fromkeys(legs)
        )
    row = min(found, key=lambda row: (found[row], row))
    places = _leg_scores(legs, row)
    ranks = ", ".join(f"{name} {leg.rank}" for name, leg in places.items() if leg)
    depth = max(run.settings.depth, run.settings.k)
    reason = f"it ranks {ranks}; each leg hands on its best {depth}"
    return Standing(row, "depth", reason, places)


def _candidate(run: Run, row: int, final: dict[int, int], legs: dict[str, Ranking]) -> Standing:
    trail, place = run.trail, final[row]
    fused_at = trail.fused.ranking.positions()[row]
    head = _head(run, place)
    rank = run.rank([row]) or run.rank_without_end([row])
    step, reason = _step(run, place, fused_at, rank, head)
    return Standing(
        row,
        step,
        reason,
        _leg_scores(legs, row),
        rank,
        LegScore(fused_at + 1, float(trail.fused.ranking.scores[fused_at])),
        LegScore(place + 1, float(trail.final.scores[place])),
        None if head is None else int(trail.final.rows[head]),
    )


def _step(
    run: Run, place: int, fused_at: int, rank: int | None, head: int | None
) -> tuple[Step, str]:
    selection, k = run.selection, run.settings.k
    if any(pick.place == place for pick in selection.picks):
        return "hit", f"it is hit {rank}"
    if head is not None:
        chunk = run.reader.chunks[int(run.trail.final.rows[head])]
        return "collapse", f"it says nearly the same as {chunk.path} and is counted there"
    if rank is None:
        return "fresh", "its file changed or went since it was indexed, and --fresh drop was asked"
    pruned = _pruned(run, place)
    if pruned:
        return "prune", pruned
    if rank <= k:
        return "diversity", f"by score alone it is {rank}, but others are less like the hits"
    before = _before_boost(run, place)
    if before is not None and before <= k:
        return "boost", f"tag weights moved it from {before} to {rank}, and k is {k}"
    if fused_at < k and run.trail.blend is not None:
        return "rerank", f"the rerank moved it from {fused_at + 1} to {rank}, and k is {k}"
    return "k", f"it is {rank}, and k is {k}"


def _head(run: Run, place: int) -> int | None:
    """The place of what it is a copy of."""
    copies = run.endless.collapsed.copies
    return next((head for head, others in copies.items() if place in others), None)


def _pruned(run: Run, place: int) -> str:
    selection, settings = run.selection, run.settings
    if not settings.prune or place not in selection.values:
        return ""
    value = selection.values[place]
    if value is None:
        return "it is behind the candidates that were looked at again, and pruning drops those"
    if value < settings.prune_below:
        return f"its value is {value:.4f}, and hits under {settings.prune_below:g} are dropped"
    if settings.k > MOST and len(selection.picks) == MOST and not settings.diversity:
        return f"pruning leaves {MOST} hits at most, and {MOST} others are better"
    return ""


def _before_boost(run: Run, place: int) -> int | None:
    boost = run.trail.boost
    if boost is None:
        return None
    return 1 + int((boost.before > boost.before[place]).sum())


def _leg_scores(legs: dict[str, Ranking], row: int) -> dict[str, LegScore | None]:
    found: dict[str, LegScore | None] = {}
    for name, leg in legs.items():
        at = np.flatnonzero(leg.rows == row)
        found[name] = LegScore(int(at[0]) + 1, float(leg.scores[at[0]])) if len(at) else None
    return found
