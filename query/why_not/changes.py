"""The nearest change that brings what is missing: each is tried before it is named."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from msgspec.structs import replace as with_settings
from numpy.typing import NDArray

from kb.errors import UsageError
from kb.records import LegScore
from query.why_not.runs import Asking, Run, Way
from query.why_not.standing import Standing, standing
from query.why_not.verdict import Change

Rows = NDArray[np.int64]
_MOST_K = 10_000  # what the setting takes
_QUICK = frozenset({"none", "maxsim"})  # rerankers that may be asked again and again


def bring(
    asking: Asking, ways: Sequence[tuple[str, Way]], targets: Rows, again: bool = True
) -> Change | None:
    """The first change that makes one of the targets a hit, else the one that needs the smallest k.

    Where neither is found, a second change is tried on top of the first. With a reranker that takes
    seconds or money nothing is tried: the nearest change is named without a rank.

    Args:
        asking: the question.
        ways: what a change is called, and the question asked so, nearest first.
        targets: rows, one of which is to be a hit.
        again: whether a second change may be tried.
    """
    if ways and ways[0][1].settings.rerank not in _QUICK:
        return Change(ways[0][0])
    larger: list[tuple[int, str, Way]] = []
    tried: list[tuple[str, Way, Run]] = []
    for text, way in ways:
        try:
            run = asking.run(way)
            rank = run.rank(targets)
        except UsageError:  # a sub-query for a leg that is left out, say
            continue
        if rank is not None:
            return Change(text, rank)
        tried.append((text, way, run))
        needed = run.rank_without_end(targets)
        if needed is not None and _may_grow(text, way, needed):
            larger.append((needed, text, way))
    for needed, text, way in sorted(larger, key=lambda found: found[0]):
        settings = with_settings(way.settings, k=needed)
        rank = asking.run(replace(way, settings=settings)).rank(targets)
        if rank is not None:
            return Change(f"{text} -k {needed}".strip(), rank)
    return _on_top(asking, tried[0], targets) if again and tried else None


def _on_top(asking: Asking, first: tuple[str, Way, Run], targets: Rows) -> Change | None:
    text, way, run = first
    live = targets if run.live is None else targets[run.live[targets]]
    if not len(live):
        return None
    further = ways_past(run, standing(run, live), way)
    return bring(
        asking, [(f"{text} {more}".strip(), other) for more, other in further], live, again=False
    )


def ways_past(run: Run, found: Standing, way: Way) -> list[tuple[str, Way]]:
    """Changes that could bring a row that may answer."""
    match found.step:
        case "words":
            return [_set(way, f"--mode {mode}", mode=mode) for mode in ("hybrid", "dense")]
        case "depth":
            return list(_deeper(found.legs, way))
        case "rerank":
            return [*_more(way, found.rank), _set(way, "--rerank none", rerank="none")]
        case "boost":
            return [_set(way, "--set query.tag_share=0", tag_share=0.0)]
        case "collapse":
            return [_set(way, "--no-collapse", collapse=False)]
        case "diversity":
            return [_set(way, "--diversity 0", diversity=0.0)]
        case "prune":
            place = run.trail.final.positions()[found.row]
            return list(_unpruned(way, run.selection.values.get(place)))
        case "fresh":
            return [("--fresh mark", replace(way, wanted=None))]
        case _:
            return list(_more(way, found.rank))


def _more(way: Way, rank: int | None) -> Iterator[tuple[str, Way]]:
    if rank is not None and rank <= _MOST_K:
        yield _set(way, f"-k {rank}", k=rank)


def _may_grow(text: str, way: Way, needed: int) -> bool:
    return "-k " not in text and way.settings.k < needed <= _MOST_K


def _deeper(legs: dict[str, LegScore | None], way: Way) -> Iterator[tuple[str, Way]]:
    ranks = {name: leg.rank for name, leg in legs.items() if leg is not None}
    depth = min(ranks.values())
    yield _set(way, f"--set query.depth={depth}", depth=depth)
    if len(legs) > 1:
        leg = min(ranks, key=lambda name: ranks[name])
        yield _set(way, f"--mode {leg}", mode=leg)


def _unpruned(way: Way, value: float | None) -> Iterator[tuple[str, Way]]:
    if value is not None and value < way.settings.prune_below:
        lower = math.floor(max(value, 0.0) * 100) / 100
        yield _set(way, f"--prune-below {lower:g}", prune_below=lower)
    yield _set(way, "without --prune", prune=False)


def _set(way: Way, text: str, **changes: object) -> tuple[str, Way]:
    return text, replace(way, settings=with_settings(way.settings, **changes))
