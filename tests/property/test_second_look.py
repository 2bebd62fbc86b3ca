"""A second look at some of the candidates: what was read stands before what was not, and parts add up."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.settings import QuerySettings
from query.rerank.again import best_places, look_again
from query.rerank.blend import Blend

share = st.floats(0, 1, allow_subnormal=False)


@st.composite
def looks(draw: st.DrawFn) -> tuple[Blend, np.ndarray, np.ndarray, QuerySettings]:
    size = draw(st.integers(1, 12))
    parts = [np.asarray(draw(st.lists(share, min_size=size, max_size=size))) for _ in range(4)]
    first = Blend(parts[0], *parts)
    read = best_places(first, draw(st.integers(1, 14)))
    chances = draw(st.lists(share, min_size=len(read), max_size=len(read)))
    return first, read, np.asarray(chances), QuerySettings(cross_encoder_weight=draw(share))


@settings(deadline=None)
@given(looks())
def test_parts_sum_and_what_was_read_stands_first(
    case: tuple[Blend, np.ndarray, np.ndarray, QuerySettings],
) -> None:
    first, read, chances, asked = case
    found = look_again(first, read, chances, asked)
    unread = np.setdiff1d(np.arange(len(first.total)), read)
    assert found.late is not None
    parts = found.rerank + found.late + found.fused + found.support + found.complement
    np.testing.assert_allclose(found.total, parts, atol=1e-9)
    assert ((found.total[read] > -1e-9) & (found.total[read] < 1 + 1e-9)).all()
    if len(unread):
        assert found.total[unread].max() <= found.total[read].min() + 1e-9
        # among themselves as far apart as before
        np.testing.assert_allclose(
            np.diff(found.total[unread]), np.diff(first.total[unread]), atol=1e-9
        )
    np.testing.assert_array_equal(found.raw[read], chances)
    assert np.isnan(found.raw[unread]).all()


def test_shares_of_both_looks() -> None:
    nothing = np.zeros(4)
    first = Blend(
        nothing, np.array([0.6, 0.3, 0.0, 0.1]), np.array([0.4, 0.1, 0.0, 0.0]), nothing, nothing
    )
    read = best_places(first, 3)
    assert read.tolist() == [0, 1, 3]  # totals 1, .4, 0, .1
    chances = np.array([0.01, 0.25, 0.09])  # roots .1, .5, .3: scaled 0, 1, .5
    found = look_again(first, read, chances, QuerySettings(cross_encoder_weight=0.25))
    # the first look scaled among what was read: (1 - .1) / .9 = 1, (.4 - .1) / .9 = 1/3, 0
    expected = [0.75, 0.25 + 0.25, 0.125 - 0.1, 0.125]
    np.testing.assert_allclose(found.total, expected, atol=1e-12)
    np.testing.assert_allclose(found.rerank, [0, 0.25, 0, 0.125])


@settings(deadline=None)
@given(st.integers(1, 9), share)
def test_equal_scores_of_the_first_look_leave_the_order_to_the_second(
    size: int, weight: float
) -> None:
    same = np.full(size, 0.5)
    chances = np.linspace(0.1, 0.9, size)
    first = Blend(same, same, same, same, same)
    found = look_again(first, np.arange(size), chances, QuerySettings(cross_encoder_weight=weight))
    assert (np.diff(found.total) >= 0).all()
