"""Which engine auto is, by the numbers a question compares and what is installed."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import index.engines.auto as auto
from index.engines.auto import AutoEngine, pick
from index.engines.base import Floats
from kb.settings import EngineSettings


def unit_rows(n: int) -> Floats:
    rows = np.random.default_rng(3).standard_normal((n, 8)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph from 501 vectors of 8 on: 4,000 numbers may be compared."""
    monkeypatch.setattr(auto, "EXACT_UP_TO", 4_000)


def only(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name in packages or None)


def test_the_rule(little: None, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "hnswlib", "faiss")
    assert pick(500, 8) == "exact"
    assert pick(501, 8) == "hnsw"
    assert pick(251, 16) == "hnsw"  # 4,016 numbers


def test_what_is_not_installed_is_not_picked(little: None, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "faiss")
    assert pick(501, 8) == "faiss hnsw"
    only(monkeypatch)
    assert pick(501, 8) == "exact"


@pytest.mark.parametrize("packages", [("hnswlib",), ("faiss",)])
def test_it_loads_what_it_built_even_where_the_rule_has_changed(
    packages: tuple[str, ...], little: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for package in packages:
        pytest.importorskip(package)
    only(monkeypatch, *packages)
    vectors = unit_rows(600)
    engine = AutoEngine(EngineSettings())
    engine.build(vectors)
    engine.save(tmp_path)
    assert engine.note == f"engine auto: {pick(600, 8)}"
    monkeypatch.setattr(auto, "EXACT_UP_TO", 1_000_000)
    fresh = AutoEngine(EngineSettings())
    fresh.load(tmp_path, vectors)
    assert fresh.note == engine.note
    assert fresh.search(vectors[:3], 5)[0].tolist() == engine.search(vectors[:3], 5)[0].tolist()


def test_another_engines_files_are_refused(tmp_path: Path) -> None:
    from index.engines.annoy import AnnoyEngine

    vectors = unit_rows(10)
    engine = AnnoyEngine(EngineSettings())
    engine._vectors = vectors[:0]
    engine.save(tmp_path)
    with pytest.raises(ValueError, match="engine annoy, which auto never picks"):
        AutoEngine(EngineSettings()).load(tmp_path, vectors)
