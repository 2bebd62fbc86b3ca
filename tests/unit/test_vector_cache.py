"""Embeddings by model and exact text."""

from pathlib import Path

import numpy as np
import pytest

from index.vector_cache import VectorCache


def cache(tmp_path: Path, model: str = "m") -> VectorCache:
    return VectorCache(tmp_path / "cache" / "v.sqlite", model, 8)


def some(count: int) -> tuple[np.ndarray, list[np.ndarray]]:
    rows = np.arange(count * 8, dtype=np.float32).reshape(count, 8)
    return rows, [np.full((i + 1, 1), i, np.uint8) for i in range(count)]


def test_what_was_put_comes_back_in_any_order(tmp_path: Path) -> None:
    rows, codes = some(3)
    with cache(tmp_path) as found:
        found.put(["a", "b", "c"], rows, codes)
    with cache(tmp_path) as found:
        assert found.vectors(["c", "a", "c"]).tolist() == rows[[2, 0, 2]].tolist()
        assert found.codes("b").tolist() == [[1], [1]]
        assert found.vectors([]).shape == (0, 8)


def test_missing_names_each_text_once_in_order(tmp_path: Path) -> None:
    rows, _ = some(1)
    with cache(tmp_path) as found:
        found.put(["a"], rows, None)
        assert found.missing(["z", "a", "b", "z"], with_codes=False) == ["z", "b"]
        assert found.missing(["a"], with_codes=True) == ["a"]


def test_models_and_blanks_never_mix(tmp_path: Path) -> None:
    rows, _ = some(1)
    with cache(tmp_path) as found:
        found.put(["a"], rows, None)
        assert found.missing(["a ", "A"], with_codes=False) == ["a ", "A"]
    with cache(tmp_path, "other") as found:
        assert found.missing(["a"], with_codes=False) == ["a"]


def test_a_failed_batch_leaves_nothing(tmp_path: Path) -> None:
    rows, codes = some(2)
    with cache(tmp_path) as found, pytest.raises(ValueError, match="zip"):
        found.put(["a", "b"], rows, codes[:1])
    with cache(tmp_path) as found:
        assert found.missing(["a", "b"], with_codes=False) == ["a", "b"]


def test_unused_embeddings_stay_until_they_are_too_many(tmp_path: Path) -> None:
    texts = list("abcdefgh")
    rows, _ = some(8)
    with cache(tmp_path) as found:
        found.put(texts, rows, None)
        # 2 used, 6 unused: within the spare 6, and then beyond the spare 5
        assert found.collect(["a", "b", "a"], spare=6) == 0
        assert found.collect(["a", "b", "a"], spare=5) == 6
        assert found.missing(texts, with_codes=False) == texts[2:]
        assert found.vectors(["b"]).tolist() == rows[[1]].tolist()
    with cache(tmp_path, "other") as found:
        found.put(texts, rows, None)
        # another model's 2 are unused here: not more than the 8 used
        assert found.collect(texts, spare=0) == 0
