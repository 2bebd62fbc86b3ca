"""Measures equal those of ir-measures on random rankings, with ties and graded judgements."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.records import Chunk, Hit
from query.evaluate.judge import Target
from query.evaluate.measures import Measure
from query.evaluate.outcome import Row
from query.evaluate.run import score
from query.evaluate.trec_run import read_run, scores
from query.evaluate.verify import TOLERANCE, reference_values

ir_measures = pytest.importorskip("ir_measures")

NAMES = [f"d{n}" for n in range(12)]
MEASURES = [
    Measure.read(f"{name}@{k}")
    for name in ("hit", "recall", "mrr", "ndcg", "failure")
    for k in (1, 3, 5, 10, 20)
]
rankings = st.lists(st.sampled_from(NAMES), max_size=20)  # a document's chunks stand anywhere
# at least one is relevant: a question without is left out by us, and 0 there
grades = st.dictionaries(st.sampled_from(NAMES), st.integers(-1, 4), min_size=1).filter(
    lambda found: any(grade > 0 for grade in found.values())
)


def relevant(found: dict[str, int], by: str) -> tuple[Target, ...]:
    return tuple(
        Target(path=name, grade=grade) if by == "path" else Target(chunk=name, grade=grade)
        for name, grade in found.items()
        if grade > 0
    )


@settings(max_examples=150, deadline=None)
@given(ranking=rankings, judged=grades, by=st.sampled_from(["path", "chunk"]))
def test_a_question_scores_as_ir_measures_scores_it(
    ranking: list[str], judged: dict[str, int], by: str
) -> None:
    names = list(dict.fromkeys(ranking))
    hits = [
        Hit(n, -n, Chunk(name, name, name, n, n + 1, "x"))
        for n, name in enumerate(ranking if by == "path" else names, 1)
    ]
    mine = score(hits, relevant(judged, by), MEASURES, 10).values
    theirs = reference_values({"q": names}, {"q": judged}, MEASURES)
    for measure in MEASURES:
        reference = theirs[str(measure)].get("q", float(measure.falls))
        assert mine[str(measure)] == pytest.approx(reference, abs=TOLERANCE), measure


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    scored=st.dictionaries(
        st.sampled_from(NAMES),
        # few values, so that many are equal; some differ by less than a 32-bit float tells
        st.sampled_from([0.5, 0.5 + 1e-12, 1.0, 1.0 + 1e-9, 2.0, -3.0]),
        min_size=1,
    ),
    judged=grades,
)
def test_a_run_with_ties_scores_as_ir_measures_scores_it(
    tmp_path: Path, scored: dict[str, float], judged: dict[str, int]
) -> None:
    file = tmp_path / "run"
    lines = [f"q Q0 {name} 1 {value!r} other" for name, value in scored.items()]
    file.write_text("\n".join(lines) + "\n")
    row = Row("q", "?", relevant(judged, "path"), {})
    mine = scores(file, [row], MEASURES)
    run = {"q": {name: float(np.float32(value)) for name, value in scored.items()}}
    for measure in MEASURES:
        expected = by_trec_eval(measure, judged, run)
        assert mine[str(measure)]["q"] == pytest.approx(expected, abs=TOLERANCE), measure


def by_trec_eval(
    measure: Measure, judged: dict[str, int], run: dict[str, dict[str, float]]
) -> float:
    """ir-measures orders ties by falling name, as trec_eval does; but in RR@k by rising name."""
    name = {"hit": "Success", "recall": "R", "ndcg": "nDCG", "failure": "Success"}
    asked = name.get(measure.name)
    parsed = ir_measures.parse_measure(f"{asked}@{measure.k}" if asked else "RR")
    value = float(ir_measures.calc_aggregate([parsed], {"q": judged}, run)[parsed])
    if asked is None:
        return value if value * measure.k > 1 - TOLERANCE else 0.0
    return 1 - value if measure.falls else value


def test_the_order_of_ties_is_trec_evals(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(
        "q Q0 a 1 1.0 t\nq Q0 c 2 1.0 t\nq Q0 b 3 2.0 t\n\nr Q0 a 1 1 t\n"
    )
    assert read_run(tmp_path / "run") == {"q": ["b", "c", "a"], "r": ["a"]}
