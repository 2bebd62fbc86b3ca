"""Measures, with the arithmetic shown."""

from math import log2

import pytest

from query.evaluate.metrics import mrr, ndcg, recall

GRADES = {"a": 3, "b": 1, "c": 0, "d": -1, "e": 2}


def test_ndcg() -> None:
    # gains 0, 3, 0 (unknown), 1 over the ideal 3, 2, 1
    dcg = 3 / log2(3) + 1 / log2(5)
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert ndcg(["c", "a", "x", "b"], GRADES, 10) == pytest.approx(dcg / ideal)
    # at 2 the ideal is cut as well: 3/log2(3) over 3/1 + 2/log2(3)
    assert ndcg(["c", "a", "x", "b"], GRADES, 2) == pytest.approx((3 / log2(3)) / (3 + 2 / log2(3)))
    assert ndcg(["a", "e", "b"], GRADES, 10) == pytest.approx(1)
    assert ndcg(["d", "c"], GRADES, 10) == 0


def test_mrr() -> None:
    assert mrr(["c", "d", "b", "a"], GRADES, 10) == 1 / 3
    assert mrr(["c", "d", "b", "a"], GRADES, 2) == 0
    assert mrr([], GRADES, 10) == 0


def test_recall() -> None:
    assert recall(["a", "c", "b"], GRADES, 10) == pytest.approx(2 / 3)  # of a, b, e
    assert recall(["a", "c", "b"], GRADES, 2) == pytest.approx(1 / 3)


def test_nothing_relevant_is_0() -> None:
    for measure in (ndcg, mrr, recall):
        assert measure(["a"], {"a": 0}, 10) == measure(["a"], {}, 10) == 0
