"""Fusions, with the arithmetic shown."""

import numpy as np
import pytest

from kb.registry import load, names
from kb.settings import QuerySettings
from query.fuse.base import Fusion
from query.ranking import Ranking

X, A, Y, B, C = 10, 11, 12, 13, 14


def ranking(*rows: int, scores: list[float] | None = None) -> Ranking:
    values = scores or [1.0 / (i + 1) for i in range(len(rows))]
    return Ranking(np.array(rows, np.int64), np.array(values, np.float64))


def fusion(name: str, **settings: float) -> Fusion:
    part: Fusion = load("fusion", name)(QuerySettings(**settings))
    return part


def test_rrf_adds_the_reciprocal_ranks_of_the_legs_that_found_a_row() -> None:
    fused = fusion("rrf").fuse({"dense": ranking(X, A, Y), "sparse": ranking(B, C, Y)})
    assert fused.ranking.rows.tolist() == [Y, X, B, A, C]
    expected = [2 / 63, 1 / 61, 1 / 61, 1 / 62, 1 / 62]
    assert fused.ranking.scores.tolist() == pytest.approx(expected, abs=1e-15)


def test_equal_sums_are_told_apart_by_scores_and_then_by_row() -> None:
    # A is first and second, B second and first: 1/61 + 1/62 each. Scaled between their ends A has
    # 1 + .25 and B .9 + 1.
    dense = ranking(A, B, X, scores=[1.0, 0.9, 0.0])
    sparse = ranking(B, A, Y, scores=[4.0, 1.0, 0.0])
    assert fusion("rrf").fuse({"dense": dense, "sparse": sparse}).ranking.rows.tolist()[:2] == [
        B,
        A,
    ]
    even = ranking(B, A, scores=[2.0, 1.0])
    flat = ranking(A, B, scores=[2.0, 1.0])
    assert fusion("rrf").fuse({"dense": flat, "sparse": even}).ranking.rows.tolist() == [A, B]


def test_rrf_gives_one_row_for_a_chunk_both_legs_found() -> None:
    fused = fusion("rrf", rrf_k=10).fuse({"dense": ranking(A, B), "sparse": ranking(C, B)})
    assert fused.ranking.rows.tolist().count(B) == 1
    assert fused.ranking.scores[0] == pytest.approx(1 / 12 + 1 / 12)


def test_weighted_scales_each_leg_to_its_own_range() -> None:
    dense = ranking(A, B, C, scores=[0.9, 0.8, 0.7])  # scaled 1, .5, 0
    sparse = ranking(B, X, scores=[12.0, 4.0])  # scaled 1, 0
    fused = fusion("weighted", alpha=0.6).fuse({"dense": dense, "sparse": sparse})
    # A: .6·1; B: .6·.5 + .4·1 = .7; C, X: 0
    assert fused.ranking.rows.tolist() == [B, A, X, C]
    assert fused.ranking.scores.tolist() == pytest.approx([0.7, 0.6, 0, 0])


def test_weighted_gives_a_lone_row_its_full_weight() -> None:
    fused = fusion("weighted", alpha=0.6).fuse({"dense": ranking(A), "sparse": Ranking.empty()})
    assert fused.ranking.scores.tolist() == pytest.approx([0.6])


def test_auto_gives_the_lexical_leg_the_weight_of_what_it_covers() -> None:
    dense = ranking(A, B, scores=[0.9, 0.8])  # scaled 1, 0
    # The best chunk holds 3 of 10: coverage .3, half of .6, so alpha = .7 - .4 / 2 = .5.
    sparse = Ranking(np.array([B, C]), np.array([3.0, 1.5]), ceiling=10.0)  # shares 1, .5
    fused = fusion("auto").fuse({"dense": dense, "sparse": sparse})
    assert fused.ranking.rows.tolist() == [A, B, C]
    assert fused.ranking.scores.tolist() == pytest.approx([0.5, 0.5, 0.25])


@pytest.mark.parametrize(
    ("ceiling", "alpha"), [(100.0, 0.7 - 0.4 * 0.05), (5.0, 0.3), (4.0, 0.3), (None, 0.7)]
)
def test_auto_keeps_its_weights_in_bounds(ceiling: float | None, alpha: float) -> None:
    sparse = Ranking(np.array([B]), np.array([3.0]), ceiling=ceiling)
    fused = fusion("auto").fuse({"dense": ranking(A, scores=[0.9]), "sparse": sparse})
    assert fused.shares["dense"].sum() == pytest.approx(alpha)


@pytest.mark.parametrize("name", names("fusion"))
def test_every_fusion_adds_up_breaks_ties_and_takes_empty_legs(name: str) -> None:
    generator = np.random.default_rng(3)
    for size in (0, 1, 5, 40):
        legs = {}
        for leg in ("dense", "sparse"):
            rows = generator.choice(60, size, replace=False).astype(np.int64)
            scores = np.sort(generator.integers(0, 4, size).astype(np.float64))[::-1]
            legs[leg] = Ranking(rows, scores)
        fused = fusion(name).fuse(legs)
        total = sum(fused.shares.values(), np.zeros(len(fused.ranking)))
        assert np.allclose(total, fused.ranking.scores)
        assert sorted(fused.ranking.rows) == sorted({*legs["dense"].rows, *legs["sparse"].rows})
        assert (np.diff(fused.ranking.scores) <= 0).all()
        again = fusion(name).fuse(dict(legs))
        assert again.ranking.rows.tolist() == fused.ranking.rows.tolist()
