"""TREC runs that other programs wrote, scored as trec_eval scores them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kb.errors import UsageError
from query.evaluate.judge import Found, Target
from query.evaluate.measures import Measure
from query.evaluate.outcome import Row

Run = dict[str, list[str]]


def is_one(path: Path) -> bool:
    """Whether a file begins like a TREC run: ``qid Q0 name rank score tag``."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            first = next((line for line in lines if line.strip()), "")
    except OSError:
        return False
    return len(first.split()) == 6 and first.split()[1].lower() in ("q0", "0")


def read_run(path: Path) -> Run:
    """The names of each question, best first.

    By falling score, which is a 32-bit float; equal ones by falling name, as trec_eval does, whatever
    the ranks say.

    Raises:
        UsageError: a line cannot be read, or names something twice.
    """
    found: dict[str, dict[str, float]] = {}
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            query, _, name, _, score, _ = line.split()
            value = float(np.float32(score))
        except ValueError:
            raise UsageError(
                f"{path}: line {number}: write QUERY Q0 NAME RANK SCORE TAG, not {line!r}"
            ) from None
        of_query = found.setdefault(query, {})
        if name in of_query:
            raise UsageError(f"{path}: line {number}: {name} stands twice for question {query}")
        of_query[name] = value
    return {query: ranked(scores) for query, scores in found.items()}


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Names by falling score, equal ones by falling name: trec_eval's order."""
    return sorted(sorted(scores, reverse=True), key=lambda name: -scores[name])


def scores(
    path: Path, rows: Sequence[Row], measures: Sequence[Measure]
) -> dict[str, dict[str, float]]:
    """What a run is worth: measure → question → value; a question that it lacks has 0 (failure: 1).

    Raises:
        UsageError: it cannot be read, or the judgements are spans, which a run does not name.
    """
    if any(target.span for row in rows for target in row.targets):
        raise UsageError(
            f"--against {path}: a TREC run names documents or chunks, and the judgements are spans of "
            "characters: compare with a run of 'tesela eval run'"
        )
    names = read_run(path)
    wanted = [measure for measure in measures if measure.name != "context_precision"]
    return {
        str(measure): {
            row.id: measure.of(
                found(names.get(row.id, []), row.targets), [t.grade for t in row.targets]
            )
            for row in rows
        }
        for measure in wanted
    }


def found(names: Sequence[str], targets: Sequence[Target]) -> Found:
    """Where targets stand among names of documents or chunks, best first."""
    place = {name: rank for rank, name in enumerate(names, 1)}
    ranks = tuple(place.get(target.chunk or target.path) for target in targets)
    gains = [0.0] * len(names)
    for rank, target in zip(ranks, targets, strict=True):
        if rank is not None:
            gains[rank - 1] += target.grade
    return Found(tuple(gains), ranks)
