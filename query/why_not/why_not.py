"""The verdict on one document or chunk, composed."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from query.batch.remember import remembering
from query.filter import readable
from query.why_not.changes import bring, ways_past
from query.why_not.kept_out import KeptOut, by_filter, by_operator
from query.why_not.runs import Asking, Run, Way
from query.why_not.standing import Standing, standing
from query.why_not.target import rows_of
from query.why_not.unindexed import unindexed
from query.why_not.verdict import Verdict

Rows = NDArray[np.int64]


def why_not(asking: Asking, way: Way, what: str, may_name: Callable[[str], bool]) -> Verdict:
    """Why a document or a chunk is not among the hits, or where among them it is.

    What the filter's principal may not read is answered exactly as what does not exist.

    Args:
        asking: the question.
        way: how it was asked.
        what: a path, an id of a chunk, or the beginning of one.
        may_name: whether whoever asks may know of a file by its name.

    Raises:
        UsageError: the beginning of several ids.
    """
    load = asking.embedder
    # The question is asked again and again, and embedded once.
    asking = replace(asking, embedder=lru_cache(1)(lambda: remembering(load())))
    reader = asking.reader
    targets = rows_of(reader, asking.location, what, readable(reader, way.filter))
    if len(targets) == 0:
        return unindexed(reader, asking.location, asking.scan, what, may_name)
    out = by_filter(reader, way, targets)
    if out is not None:
        return _kept_out(asking, what, targets, out)
    run = asking.run(way)
    live = targets if run.live is None else targets[run.live[targets]]
    out = by_operator(run, way, live)
    if out is not None:
        return _kept_out(asking, what, live, out)
    return _ranked(asking, way, run, what, live)


def _kept_out(asking: Asking, what: str, targets: Rows, out: KeptOut) -> Verdict:
    change = bring(asking, out.ways, targets)
    return Verdict(what, out.step, out.reason, asking.reader.chunks[int(targets[0])], change=change)


def _ranked(asking: Asking, way: Way, run: Run, what: str, targets: Rows) -> Verdict:
    found: Standing = standing(run, targets)
    chunks = asking.reader.chunks
    verdict = Verdict(
        what,
        found.step,
        found.reason,
        chunks[found.row],
        found.rank,
        found.legs,
        found.fused,
        found.reranked,
        None if found.head is None else chunks[found.head].id,
    )
    if found.step == "hit":
        return verdict
    ways = ways_past(run, found, way)
    return replace(verdict, change=bring(asking, ways, targets))
