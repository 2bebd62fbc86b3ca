"""Scores, significance, kept runs and gates, with their arithmetic."""

import math
from pathlib import Path

import msgspec
import pytest

from kb.errors import UsageError
from kb.location import Location
from kb.records import Chunk, Hit
from query.evaluate import gate, saved
from query.evaluate.against import compare, read_earlier
from query.evaluate.held import whole_documents
from query.evaluate.judge import Target
from query.evaluate.measures import Measure, usual
from query.evaluate.outcome import Outcome, Row, Scored
from query.evaluate.precision import context_precision
from query.evaluate.randomization import paired_test
from query.evaluate.run import score
from query.evaluate.saved import Saved


def chunk(path: str, start: int, end: int, tokens: int = 0) -> Chunk:
    return Chunk(f"{path}{start}", path, path, start, end, "x" * (end - start), tokens=tokens)


def values(hits: list[Chunk], targets: list[Target], *names: str) -> list[float]:
    measures = [Measure.read(name) for name in names]
    ranked = [Hit(n, -n, one) for n, one in enumerate(hits, 1)]
    found = score(ranked, targets, measures, 10).values
    return [found[str(measure)] for measure in measures]


def test_ranks_count_documents_where_documents_are_judged() -> None:
    # a's third chunk, behind b's, changes nothing
    hits = [chunk("a", 0, 9), chunk("a", 9, 20), chunk("b", 0, 9), chunk("a", 20, 30)]
    hits.append(chunk("c", 0, 9))
    targets = [Target(path="b", grade=2), Target(path="c", grade=1), Target(path="d")]
    # documents: a, b, c; DCG = 2/log2(3) + 1/log2(4); ideal = 2 + 1/log2(3) + 1/log2(4)
    ndcg = (2 / math.log2(3) + 0.5) / (2 + 1 / math.log2(3) + 0.5)
    names = ("mrr@5", "recall@2", "recall@3", "hit@1", "hit@2", "failure@1", "ndcg@3")
    expected = [1 / 2, 1 / 3, 2 / 3, 0, 1, 1, ndcg]
    assert values(hits, targets, *names) == pytest.approx(expected)


def test_a_span_is_looked_for_among_chunks() -> None:
    hits = [chunk("a", 0, 9), chunk("a", 9, 20)]
    assert values(hits, [Target(path="a", span=(10, 14))], "mrr@5", "hit@1") == [0.5, 0]


def test_hit_and_recall_are_two_things() -> None:
    hits = [chunk("a", 0, 9)]
    targets = [Target(path="a"), Target(path="b")]
    assert values(hits, targets, "hit@5", "recall@5", "success@5", "R@5") == [1, 0.5, 1, 0.5]


def test_context_precision_counts_tokens() -> None:
    shown = [chunk("a", 0, 100, 20), chunk("b", 0, 50, 30)]
    # half of the first's 20 tokens, none of the second's 30
    assert context_precision(shown, [Target(path="a", span=(50, 150))]) == pytest.approx(10 / 50)
    # spans 10-30 and 20-40 cover 30 of 100 characters
    spans = [Target(path="a", span=(10, 30)), Target(path="a", span=(20, 40))]
    assert context_precision(shown, spans) == pytest.approx(6 / 50)
    assert context_precision(shown, [Target(path="b")]) == pytest.approx(30 / 50)
    assert context_precision([], [Target(path="b")]) == 0


@pytest.mark.parametrize(
    "text", ["recall", "recall@0", "hit@x", "map@10", "ndcg@-1", "failure@", ""]
)
def test_a_measure_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="no measure"):
        Measure.read(text)


def test_measures_read_as_they_are_written() -> None:
    assert [str(Measure.read(str(m))) for m in usual([1, 10])] == [str(m) for m in usual([10, 1])]
    assert str(Measure.read("failure")) == "failure@20"
    assert Measure.read("nDCG@5").shown == "nDCG@5"


def test_the_randomization_test_by_hand() -> None:
    # all eight differences are +1: of 2**8 signs, 2 give a mean as far from 0; p -> 2/256
    assert paired_test([0] * 8, [1] * 8) == pytest.approx(2 / 256, abs=0.004)
    assert paired_test([0.1, 0.5], [0.1, 0.5]) == 1
    assert paired_test([0, 1, 0, 1], [1, 0, 1, 0]) == 1
    assert paired_test([0] * 8, [1] * 8) == paired_test([1] * 8, [0] * 8)


def outcome(*found: float, names: tuple[str, ...] = ()) -> Outcome:
    measures = [Measure.read("recall@10"), Measure.read("failure")]
    rows = [
        Row(
            names[n] if names else f"q{n}",
            f"question {n}",
            (Target(path="a"),),
            {"answer": Scored({"recall@10": value, "failure@20": 1 - value}, (1,), 0.01)},
        )
        for n, value in enumerate(found)
    ]
    return Outcome(measures, ["answer"], rows)


def run(*found: float, digest: str = "d", passed: bool | None = None) -> Saved:
    about = {"testset": "t", "generation": 1, "index": "i", "settings": "s", "passed": passed}
    return saved.saved(outcome(*found), testset_digest=digest, **about)


def test_runs_are_numbered_and_read_back(tmp_path: Path) -> None:
    location = Location(tmp_path / ".tesela")
    first = saved.keep(location, run(0, 1))
    second = saved.keep(location, run(1, 1))
    assert (first.number, second.number) == (1, 2)
    assert saved.read(location, 1) == first
    assert saved.history(location) == [first, second]
    assert first.main == {"recall@10": 0.5, "failure@20": 0.5}
    with pytest.raises(UsageError, match="there are 1 to 2"):
        saved.read(location, 3)


def test_old_runs_keep_their_means_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "_WITH_VALUES", 2)
    monkeypatch.setattr(saved, "KEPT", 4)
    location = Location(tmp_path / ".tesela")
    for _ in range(6):
        saved.keep(location, run(0, 1))
    kept = saved.history(location)
    assert [one.number for one in kept] == [3, 4, 5, 6]
    assert [bool(one.values) for one in kept] == [False, False, True, True]
    assert all(one.main["recall@10"] == 0.5 for one in kept)
    with pytest.raises(UsageError, match="only its means"):
        read_earlier(location, "4", outcome(0, 1).rows, outcome(0, 1).measures)


def test_a_cut_off_run_hides_no_other(tmp_path: Path) -> None:
    location = Location(tmp_path / ".tesela")
    saved.keep(location, run(0, 1))
    (saved.folder_of(location) / "00002.json").write_text('{"version": 1, "numb')
    assert [one.number for one in saved.history(location)] == [1]
    assert saved.keep(location, run(0, 1)).number == 3


def test_the_run_to_compare_with_asked_the_same_and_passed(tmp_path: Path) -> None:
    location = Location(tmp_path / ".tesela")
    for one in (run(1, 1), run(1, 0, digest="other"), run(0, 0, passed=False)):
        saved.keep(location, one)
    now = run(0, 0)
    before = saved.last_passed(location, now)
    assert before is not None
    assert before.number == 1
    assert saved.last_passed(location, run(0, digest="new")) is None
    others = msgspec.structs.replace(now, settings="others")
    assert saved.last_passed(location, others) is None  # nobody has let that run pass
    saved.keep(location, run(1, 0, passed=True))
    saved.keep(location, run(1, 1))
    for one in (now, others):
        passed = saved.last_passed(location, one)
        assert passed is not None
        assert passed.number == 4


def test_against_pairs_what_both_have(tmp_path: Path) -> None:
    location = Location(tmp_path / ".tesela")
    saved.keep(location, run(0, 0, 1))
    now = outcome(1, 0, 1, 1)  # q3 is new
    found = compare(now, *read_earlier(location, "last", now.rows, now.measures))
    assert found.questions == 3
    pair = found.measures["recall@10"]
    assert (pair.before, pair.now) == pytest.approx((1 / 3, 2 / 3))
    file = tmp_path / "run.json"
    file.write_bytes(msgspec.json.encode({**msgspec.to_builtins(run(0, 0, 1)), "more": 1}))
    again = compare(now, *read_earlier(location, str(file), now.rows, now.measures))
    assert again.measures == found.measures


def test_against_a_trec_run(tmp_path: Path) -> None:
    file = tmp_path / "run.trec"
    file.write_text("q0 Q0 b 1 2 t\nq0 Q0 a 2 1 t\nq1 Q0 b 1 1 t\n")
    now = outcome(1, 1)
    name, earlier = read_earlier(Location(tmp_path), str(file), now.rows, now.measures)
    assert earlier == {
        "recall@10": {"q0": 1.0, "q1": 0.0},
        "failure@20": {"q0": 0.0, "q1": 1.0},
    }
    assert compare(now, name, earlier).measures["recall@10"].difference.mean == 0.5
    spans = [Row("q0", "?", (Target(path="a", span=(0, 3)),), {})]
    with pytest.raises(UsageError, match="spans of characters"):
        read_earlier(Location(tmp_path), str(file), spans, now.measures)


def test_a_gate_names_what_fell() -> None:
    before, now = run(1, 1, 1, 0), run(1, 0, 1, 0)
    limits = [gate.read_limit("recall@10=0.6"), gate.read_limit("failure=0.5")]
    (low,) = gate.breaches(now, None, limits, [gate.read_drop("0.1")])
    assert (str(low.measure), low.value, low.bound) == ("recall@10", 0.5, 0.6)
    assert [fallen.id for fallen in low.fallen] == ["q1", "q3"]
    found = gate.breaches(now, before, [], [gate.read_drop("0.1")])
    assert [str(breach.measure) for breach in found] == ["recall@10", "failure@20"]
    assert [(f.id, f.before, f.now) for f in found[0].fallen] == [("q1", 1, 0)]
    assert [(f.id, f.before, f.now) for f in found[1].fallen] == [("q1", 0, 1)]
    assert not gate.breaches(now, before, [], [gate.read_drop("0.25")])  # just as much as may be
    assert not gate.breaches(now, before, [], [gate.read_drop("mrr@10=0")])
    assert not gate.breaches(before, now, [], [gate.read_drop("0")])  # better is no drop


@pytest.mark.parametrize("text", ["recall@10", "recall@10=x", "recall@10=1.5", "recall=0.5"])
def test_a_limit_that_is_none(text: str) -> None:
    with pytest.raises(UsageError):
        gate.read_limit(text)


def test_whole_documents_keep_the_best_grade() -> None:
    targets = [Target(path="a", span=(0, 5)), Target(path="a", span=(9, 12), grade=3)]
    assert whole_documents([*targets, Target(chunk="c")]) == (
        Target(path="a", grade=3),
        Target(chunk="c"),
    )
