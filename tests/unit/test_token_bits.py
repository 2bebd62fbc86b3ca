from itertools import pairwise

import numpy as np
import pytest

from kb.models import token_bits
from kb.models.token_bits import maxsim, pack, unpack


def f32(rows: list[list[float]]) -> np.ndarray:
    return np.array(rows, np.float32)


def test_pack_takes_the_sign_of_the_distance_to_the_mean() -> None:
    codes = pack(f32([[1, 0, 0.5, -1]]), np.array([0.5, 0.5, 0.5, -2], np.float32))
    # .5 > 0, -.5, 0 (not above), 1 > 0 → 1001 0000
    assert codes.tolist() == [[0b10010000]]
    assert unpack(codes, 4).tolist() == [[1, -1, -1, 1]]


def test_384_dimensions_take_48_bytes() -> None:
    tokens = np.random.default_rng(0).standard_normal((5, 384)).astype(np.float32)
    codes = pack(tokens, np.zeros(384, np.float32))
    assert (codes.shape, codes.dtype) == ((5, 48), np.uint8)
    np.testing.assert_array_equal(unpack(codes, 384), np.where(tokens > 0, 1, -1))
    assert pack(tokens[:0], np.zeros(384, np.float32)).shape == (0, 48)


def test_maxsim_arithmetic_with_empty_documents() -> None:
    zero = np.zeros(4, np.float32)
    codes = pack(f32([[1, 1, -1, -1], [-1, -1, -1, -1], [1, 1, 1, 1]]), zero)
    query = f32([[0.4, 0.2, 0, 0], [0, 0, 0.6, 0]])
    # document 1: rows 0 and 1. q0: max(.6, -.6) = .6; q1: max(-.6, -.6) = -.6; mean 0 / sqrt 4 = 0
    # document 3: row 2.        q0: .6; q1: .6; mean .6 / 2 = .3
    # documents 0, 2, 4 are empty: 0
    scores = maxsim(query, codes, np.array([0, 0, 2, 2, 3, 3]))
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, [0, 0, 0, 0.3, 0], atol=1e-7)


def test_nothing_to_compare() -> None:
    codes = np.zeros((2, 1), np.uint8)
    assert maxsim(np.empty((0, 4), np.float32), codes, np.array([0, 2])).tolist() == [0]
    assert maxsim(np.ones((1, 4), np.float32), codes[:0], np.array([0])).tolist() == []
    assert maxsim(np.ones((1, 4), np.float32), codes[:0], np.array([0, 0])).tolist() == [0]


@pytest.mark.parametrize("block", [1, 3, 7, 10_000])
def test_blocks_give_what_a_plain_loop_gives(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(token_bits, "BLOCK", block)
    draw = np.random.default_rng(1)
    lengths = [3, 0, 1, 5, 0, 0, 2, 4]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = pack(draw.standard_normal((15, 16)).astype(np.float32), np.zeros(16, np.float32))
    query = draw.standard_normal((3, 16)).astype(np.float32)
    signs = unpack(codes, 16)
    plain = [
        (query @ signs[a:b].T).max(axis=1).mean() / 4 if b > a else 0 for a, b in pairwise(offsets)
    ]
    np.testing.assert_allclose(maxsim(query, codes, offsets), plain, rtol=1e-5)
