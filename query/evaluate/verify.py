"""A run's values beside those of ir-measures, which many papers are scored with."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from kb.errors import Unavailable, UsageError
from kb.records import Hit
from query.evaluate.judge import Target, best_of_documents, of_documents
from query.evaluate.measures import Measure
from query.evaluate.outcome import Outcome

TOLERANCE = 1e-9


def reference() -> Any:
    """The package.

    Raises:
        Unavailable: it is not installed.
    """
    try:
        return import_module("ir_measures")
    except ModuleNotFoundError as error:
        raise Unavailable(
            "--verify needs ir-measures: uv sync --extra eval (or: pip install 'tesela[eval]')"
        ) from error


def reference_values(
    runs: Mapping[str, Sequence[str]],
    grades: Mapping[str, Mapping[str, int]],
    measures: Sequence[Measure],
) -> dict[str, dict[str, float]]:
    """What ir-measures makes of rankings: measure → question → value.

    Args:
        runs: names by question, best first.
        grades: by question and name.
        measures: all but context precision, which it does not know.
    """
    ir = reference()
    named: dict[str, Callable[[int], Any]] = {
        "hit": lambda k: ir.Success @ k,
        "failure": lambda k: ir.Success @ k,
        "recall": lambda k: ir.R @ k,
        "mrr": lambda k: ir.RR @ k,
        "ndcg": lambda k: ir.nDCG @ k,
    }
    asked = {named[m.name](m.k): m for m in measures if m.name in named}
    scored = {q: {n: float(-rank) for rank, n in enumerate(names)} for q, names in runs.items()}
    found: dict[str, dict[str, float]] = {}
    for one in ir.iter_calc(list(asked), grades, scored):
        found.setdefault(str(one.measure), {})[one.query_id] = float(one.value)
    values = {}
    for measure in (m for m in measures if m.name in named):
        by_query = found.get(str(named[measure.name](measure.k)), {})
        flip = measure.falls
        values[str(measure)] = {q: 1.0 - v if flip else v for q, v in by_query.items()}
    return values


class Verifier:
    """Collects what a query answered, and compares at the end."""

    def __init__(self) -> None:
        reference()
        self._runs: dict[str, list[str]] = {}
        self._grades: dict[str, dict[str, int]] = {}

    def add(self, query: str, hits: Sequence[Hit], targets: Sequence[Target]) -> None:
        """Note one question's answer.

        Raises:
            UsageError: it is judged by spans.
        """
        if any(target.span for target in targets) or len({bool(t.chunk) for t in targets}) > 1:
            raise UsageError(
                "--verify: ir-measures knows documents or chunks, and the judgements are spans of "
                "characters, or both: leave --verify out"
            )
        chunks = [hit.chunk for hit in hits]
        by_document = of_documents(targets)
        names = (
            [c.path for c in best_of_documents(chunks)] if by_document else [c.id for c in chunks]
        )
        self._runs[query] = names
        self._grades[query] = {t.path if by_document else t.chunk: t.grade for t in targets}

    def largest_difference(self, outcome: Outcome) -> float:
        """Between this run's values and the reference's, over all questions and measures."""
        ids = [row.id for row in outcome.rows]
        theirs = reference_values(self._runs, self._grades, outcome.measures)
        return max(
            abs(mine - theirs[measure].get(query, 0.0))
            for measure in theirs
            for query, mine in zip(ids, outcome.values(outcome.main, measure), strict=True)
        )
