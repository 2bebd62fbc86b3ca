"""Likeness of rankings, bootstrap intervals and judged hits, with their arithmetic."""

import math

import numpy as np
import pytest

from kb.errors import UsageError
from kb.records import Chunk, Hit
from query.compare.alike import pairs
from query.compare.question import Compared
from query.evaluate.bootstrap import paired_bootstrap
from query.evaluate.judge import Target, measure, read_targets
from query.evaluate.metrics import gains_mrr, gains_ndcg
from query.evaluate.overlap import overlap, rbo


def hits(*spans: tuple[str, int, int]) -> list[Hit]:
    return [
        Hit(rank, 1 / rank, Chunk(f"{path}:{start}-{end}", path, path, start, end, "x"))
        for rank, (path, start, end) in enumerate(spans, 1)
    ]


def test_overlap_counts_what_both_have() -> None:
    assert overlap("abcd", "badc", 4) == 1
    assert overlap("abcd", "bxyz", 4) == 1 / 4
    assert overlap("ab", "abcd", 4) == 2 / 4
    assert overlap("abcd", "dcba", 1) == 0
    assert overlap("", "", 3) == 1
    assert overlap("a", "", 3) == 0


def test_rbo_of_lists_of_one_length() -> None:
    # p = .5, X = 0, 2: (1-p)/p * (0/1 * .5 + 2/2 * .25) + 2/2 * .25
    assert rbo("ab", "ba", 0.5) == pytest.approx(0.25 + 0.25)
    assert rbo("abc", "abc") == pytest.approx(1)
    assert rbo("abc", "xyz") == 0
    assert rbo("", "") == 1
    assert rbo("a", "") == 0


def test_rbo_of_lists_of_two_lengths() -> None:
    # s = 1, l = 2, X = 1, 1; p = .5: 1 * (1 * .5 + 1/2 * .25 + 1 * 1/(1*2) * .25) + (0/2 + 1) * .25
    assert rbo("a", "ab", 0.5) == pytest.approx(0.5 + 0.125 + 0.125 + 0.25)
    assert rbo("ab", "a", 0.5) == rbo("a", "ab", 0.5)


def test_a_swap_at_the_top_weighs_more_than_one_at_the_end() -> None:
    assert rbo("bacdefghij", "abcdefghij") < rbo("abcdefghji", "abcdefghij") < 1


def test_bootstrap_is_exact_where_nothing_varies() -> None:
    found = paired_bootstrap([0.1, 0.5, 0.3], [0.3, 0.7, 0.5])
    assert (found.mean, found.low, found.high) == pytest.approx((0.2, 0.2, 0.2))
    assert found.is_sure


def test_bootstrap_is_that_of_the_normal_for_many_questions() -> None:
    draw = np.random.default_rng(1)
    a = draw.random(2000)
    b = a + draw.normal(0.05, 0.3, 2000)
    found = paired_bootstrap(a.tolist(), b.tolist())
    error = float(np.std(b - a)) / math.sqrt(2000)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.05)
    assert found == paired_bootstrap(a.tolist(), b.tolist())


def test_bootstrap_of_ups_and_downs_is_not_sure() -> None:
    assert not paired_bootstrap([0, 1, 0, 1], [1, 0, 1, 0]).is_sure


def test_gains() -> None:
    best = 3 / math.log2(2) + 1 / math.log2(3)
    assert gains_ndcg([1, 3], [1, 3], 10) == pytest.approx((1 / 1 + 3 / math.log2(3)) / best)
    assert gains_ndcg([4], [1, 3], 10) == 1  # one hit has it all at once
    assert gains_ndcg([], [], 10) == 0
    assert gains_mrr([0, 0, 2]) == 1 / 3


def test_a_span_is_met_by_a_hit_that_covers_half_of_it() -> None:
    target = Target(path="a", span=(100, 200))
    (half, less, other) = hits(("a", 0, 150), ("a", 151, 300), ("b", 0, 500))
    assert target.is_met(half.chunk)
    assert not target.is_met(less.chunk)
    assert not target.is_met(other.chunk)


def test_a_target_counts_once() -> None:
    found = hits(("a", 0, 50), ("a", 50, 200), ("a", 60, 210))
    measures = measure(found, [Target(path="a", span=(60, 160)), Target(path="z", span=(0, 1))], 3)
    assert measures.mrr == 1 / 2
    assert measures.recall == 1 / 2
    assert measures.success == 1
    ideal = 1 + 1 / math.log2(3)
    assert measures.ndcg == pytest.approx((1 / math.log2(3)) / ideal)


def test_judged_documents_are_ranked_as_documents() -> None:
    found = hits(("a", 0, 9), ("a", 9, 20), ("b", 0, 9))
    assert measure(found, [Target(path="b")], 2).mrr == 1 / 2
    assert measure(found, [Target(path="b"), Target(chunk="x")], 2).mrr == 0


def test_targets_by_chunk_path_and_grade() -> None:
    assert read_targets(["a.md"]) == (Target(path="a.md"),)
    assert read_targets({"a.md": 2, "b.md": 0}) == (Target(path="a.md", grade=2),)
    assert read_targets([{"chunk": "c1"}]) == (Target(chunk="c1"),)
    assert read_targets([{"path": "a", "span": [1, 5], "grade": 3}])[0].span == (1, 5)


@pytest.mark.parametrize(
    "wrong",
    ["a.md", 3, [{}], [{"path": "a", "chunk": "b"}], [{"chunk": "b", "span": [0, 1]}], [[1]],
     [{"path": "a", "span": [5, 5]}], [{"path": "a", "grade": 0}], [{"file": "a"}], {"a": -1}],
)  # fmt: skip
def test_what_is_no_judgement_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match="relevant"):
        read_targets(wrong)


def test_the_same_passage_in_chunks_of_other_sizes() -> None:
    a = hits(("x", 0, 100), ("x", 100, 200), ("y", 0, 10))
    b = hits(("x", 90, 190), ("x", 0, 60), ("z", 0, 10))
    assert pairs(a, b) == {0: 1, 1: 0}


def test_what_moved() -> None:
    a = hits(("p", 0, 9), ("q", 0, 9), ("r", 0, 9))
    b = hits(("q", 0, 9), ("s", 0, 9), ("p", 0, 9))
    compared = Compared("1", "q", a, b)
    shown = [(p.a and p.a.rank, p.b and p.b.rank, p.moved) for p in compared.passages]
    assert shown == [(2, 1, 1), (None, 2, None), (1, 3, -2), (3, None, None)]
    assert compared.overlap(3) == 2 / 3
    assert compared.rbo == pytest.approx(rbo("pqr", "qsp"))
