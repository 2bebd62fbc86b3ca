"""The blended rerank, with the arithmetic shown, and what a shared language may not decide."""

import numpy as np
import pytest

from query.rerank.blend import blend

UNIT = np.eye(4, dtype=np.float32)


def test_shares_are_scaled_and_weighted() -> None:
    raw = np.array([0.2, 0.4, 0.3])  # scaled 0, 1, .5
    fused = np.array([3.0, 2.0, 1.0])  # scaled 1, .5, 0
    blended = blend(raw, fused, UNIT[:3], weight=0.6, support=0.0)
    assert blended.rerank.tolist() == pytest.approx([0, 0.6, 0.3])
    assert blended.fused.tolist() == pytest.approx([0.4, 0.2, 0])
    assert blended.total.tolist() == pytest.approx([0.4, 0.8, 0.3])


def test_likeness_to_the_best_supports() -> None:
    # Two candidates alike and the best one of them: centred, the pair points one way, the third the other.
    vectors = UNIT[[0, 0, 1]]
    blended = blend(np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), vectors, 0.5, 0.3)
    # Only row 0 has a score (1), so likeness is the cosine to it: 1, 1, -1.
    assert blended.support.tolist() == pytest.approx([0.3, 0.3, -0.3])


@pytest.mark.parametrize("pool", [0, 1, 2, 10])
def test_any_pool_gives_finite_parts_that_sum(pool: int) -> None:
    generator = np.random.default_rng(pool)
    vectors = generator.normal(size=(pool, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    raw, fused = generator.normal(size=pool), np.sort(generator.normal(size=pool))[::-1]
    blended = blend(raw, fused, vectors, 0.6, 0.3)
    assert np.isfinite(blended.total).all()
    assert np.allclose(blended.total, blended.rerank + blended.fused + blended.support)


def test_equal_scores_and_equal_vectors_are_no_error() -> None:
    blended = blend(np.ones(3), np.ones(3), UNIT[[0, 0, 0]], 0.6, 0.3)
    assert blended.total.tolist() == pytest.approx([1.0, 1.0, 1.0])
