"""A run as JSON and as rows of a table."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import msgspec

from query.evaluate.against import Against
from query.evaluate.bootstrap import CONFIDENCE, RESAMPLES
from query.evaluate.held import Resolved
from query.evaluate.judge import Target
from query.evaluate.outcome import Outcome, Row
from query.evaluate.saved import Saved


def run_json(
    saved: Saved, outcome: Outcome, resolved: Resolved, against: Against | None
) -> dict[str, Any]:
    """All numbers of a run; ``--against`` reads the file back."""
    shown: dict[str, Any] = msgspec.to_builtins(saved)
    shown["interval"] = {
        "kind": "percentile bootstrap",
        "resamples": RESAMPLES,
        "confidence": CONFIDENCE,
    }
    shown["intervals"] = {
        ranking: {str(m): _ends(outcome, ranking, str(m)) for m in outcome.measures}
        for ranking in outcome.rankings
    }
    shown["failed"] = [asdict(failed) for failed in outcome.failed]
    shown["not_held"] = {
        "missing": dict(resolved.missing),
        "ambiguous": dict(resolved.ambiguous),
        "filtered": dict(resolved.hidden),
        "moved": resolved.moved,
        "gone": len(resolved.gone),
    }
    for what in ("kind", "difficulty"):
        parts = {name: _part(outcome, rows) for name, rows in outcome.by(what)}
        if parts:
            shown[f"by_{what}"] = parts
    if against is not None:
        shown["against"] = asdict(against)
    return shown


def _ends(outcome: Outcome, ranking: str, measure: str) -> tuple[float, float]:
    found = outcome.interval(ranking, measure)
    return found.low, found.high


def _part(outcome: Outcome, rows: Sequence[Row]) -> dict[str, Any]:
    part = Outcome(outcome.measures, outcome.rankings, list(rows))
    means = {
        ranking: {str(m): part.mean(ranking, m) for m in part.measures} for ranking in part.rankings
    }
    return {"questions": len(rows), "means": means}


def question_json(row: Row, outcome: Outcome, k: int) -> dict[str, Any]:
    """One question: its measures by ranking, where each judged thing stands, and what was missed."""
    return {
        "id": row.id,
        "query": row.text,
        **({"kind": row.kind} if row.kind else {}),
        **({"difficulty": row.difficulty} if row.difficulty else {}),
        "rankings": {
            name: {**scored.values, "ranks": list(scored.ranks), "seconds": scored.seconds}
            for name, scored in row.scored.items()
        },
        "relevant": [msgspec.to_builtins(target) for target in row.targets],
        "missed": [msgspec.to_builtins(target) for target in row.missed(outcome.main, k)],
    }


def mean_rows(outcome: Outcome) -> Iterator[dict[str, Any]]:
    """A row for each ranking and measure, for CSV."""
    for ranking in outcome.rankings:
        for measure in outcome.measures:
            found = outcome.interval(ranking, measure)
            yield {
                "ranking": ranking,
                "measure": str(measure),
                "mean": found.mean,
                "low": found.low,
                "high": found.high,
                "questions": len(outcome.rows),
            }
        for name, seconds in zip(("p50", "p95"), outcome.latency(ranking), strict=True):
            yield {
                "ranking": ranking,
                "measure": f"latency_{name}_seconds",
                "mean": seconds,
                "low": "",
                "high": "",
                "questions": len(outcome.rows),
            }


def target_text(target: Target) -> str:
    """What is judged, in words: ``docs/a.md:120-180``, characters behind the colon."""
    if target.chunk:
        return f"chunk {target.chunk}"
    return f"{target.path}:{target.span[0]}-{target.span[1]}" if target.span else target.path
