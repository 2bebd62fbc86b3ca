"""The blended rerank, with the arithmetic shown, and what no candidate may do to the best one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.settings import QuerySettings
from query.rerank.base import Coverage, Judged
from query.rerank.blend import blend

UNIT = np.eye(4, dtype=np.float32)


def settings(weight: float = 0.6, support: float = 0.0, complement: float = 0.0) -> QuerySettings:
    return QuerySettings(rerank_weight=weight, support=support, complement=complement)


def covering(matches: list[list[float]], weights: list[float]) -> Coverage:
    return Coverage(np.array(matches, np.float32), np.array(weights, np.float32))


def test_shares_are_scaled_and_weighted() -> None:
    raw = np.array([0.2, 0.4, 0.3])  # scaled 0, 1, .5
    fused = np.array([3.0, 2.0, 1.0])  # scaled 1, .5, 0
    blended = blend(Judged(raw), fused, UNIT[:3], settings())
    assert blended.rerank.tolist() == pytest.approx([0, 0.6, 0.3])
    assert blended.fused.tolist() == pytest.approx([0.4, 0.2, 0])
    assert blended.total.tolist() == pytest.approx([0.4, 0.8, 0.3])


def test_likeness_to_the_best_supports() -> None:
    # Two candidates alike and the best one of them: centred, the pair points one way, the third the other.
    judged = Judged(np.array([1.0, 0.0, 0.0]))
    blended = blend(judged, np.array([1.0, 0.0, 0.0]), UNIT[[0, 0, 1]], settings(0.5, 0.3))
    # Likeness is the cosine to row 0: 1, 1, -1.
    assert blended.support.tolist() == pytest.approx([0.3, 0.3, -0.3])


def test_what_the_best_leaves_unmet_complements() -> None:
    # Two parts of the question. Row 0 is best and meets the first whole, of the second nothing; row 1
    # the second whole; row 2 half of it. Scaled between the pool's ends:
    #   part a (weight .75): 1, 0, 0      part b (weight .25): 0, 1, .5
    coverage = covering([[0.9, 0.1, 0.1], [0.2, 0.6, 0.4]], [0.75, 0.25])
    judged = Judged(np.array([1.0, 0.4, 0.6]), coverage)
    blended = blend(judged, np.array([3.0, 2.0, 1.0]), UNIT[:3], settings(1.0, 0.0, 2.0))
    # Rerank shares 1, 0, 1/3. Row 1 gains 2 · .25 · 1² = .5, row 2 gains 2 · .25 · .5² = .125.
    assert blended.complement.tolist() == pytest.approx([0, 0.5, 0.125])
    assert blended.total.tolist() == pytest.approx([1, 0.5, 1 / 3 + 0.125])


def test_nothing_passes_the_best() -> None:
    coverage = covering([[1.0, 0.0], [0.0, 1.0]], [0.5, 0.5])
    judged = Judged(np.array([1.0, 0.0]), coverage)
    blended = blend(judged, np.array([1.0, 0.0]), UNIT[:2], settings(0.6, 0.0, 10.0))
    # Row 1 gains 10 · .5 = 5; row 0, at 1, gets the 4 it needs and a hair.
    assert blended.total.tolist() == pytest.approx([5, 5])
    assert blended.total[0] > blended.total[1]


@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.integers(0, 5))
def test_any_pool_gives_finite_parts_that_sum(seed: int, pool: int, parts: int) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(pool, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    coverage = Coverage(
        generator.random((parts, pool), np.float32), generator.random(parts, np.float32)
    )
    fused = np.sort(generator.normal(size=pool))[::-1]
    judged = Judged(generator.normal(size=pool), coverage)
    blended = blend(judged, fused, vectors, QuerySettings())
    assert np.isfinite(blended.total).all()
    sum_of_parts = blended.rerank + blended.fused + blended.support + blended.complement
    assert np.allclose(blended.total, sum_of_parts)
    if pool:
        before = blended.rerank + blended.fused + blended.support
        assert int(np.argmax(blended.total)) == int(np.argmax(before))


def test_equal_scores_and_equal_vectors_are_no_error() -> None:
    coverage = covering([[0.5, 0.5, 0.5]], [1.0])
    blended = blend(Judged(np.ones(3), coverage), np.ones(3), UNIT[[0, 0, 0]], QuerySettings())
    assert blended.total.tolist() == pytest.approx([1.0, 1.0, 1.0])
