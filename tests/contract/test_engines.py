"""What every engine promises, over the registry and each faiss kind."""

import importlib.util
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from index.engines.base import Engine, Floats
from kb import registry
from kb.errors import Unavailable
from kb.settings import EngineSettings

D = 384
KINDS = [EngineSettings(name=name) for name in registry.names("engine") if name != "faiss"]
KINDS += [EngineSettings(name="faiss", faiss_kind=kind) for kind in ("flat", "ivf", "hnsw")]
# Below .95 an approximate engine would be no use; trees and lists are allowed .90.
FLOORS = {"exact": 1.0, "auto": 1.0, "hnsw": 0.95, "annoy": 0.90, "faiss": 0.90}
FAISS_FLOORS = {"flat": 1.0, "hnsw": 0.95, "ivf": 0.90}

every_engine = pytest.mark.parametrize(
    "settings", KINDS, ids=lambda s: f"{s.name}-{s.faiss_kind}" if s.name == "faiss" else s.name
)


def unit(x: np.ndarray) -> Floats:
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@cache
def corpus(n: int = 2000, queries: int = 100) -> tuple[Floats, Floats]:
    """Like sentence vectors: 60 topics in 64 of 384 dimensions, all sharing one strong direction.

    Queries are drawn as the rows are.
    """
    rng = np.random.default_rng(5)
    basis = np.linalg.qr(rng.standard_normal((D, 64)))[0].T
    topics = rng.standard_normal((60, 64))
    own = rng.standard_normal((n + queries, 64))
    points = topics[rng.integers(0, 60, n + queries)] + 0.7 * own
    x = unit(points @ basis / 8 + 1.5 * basis[0])
    return x[:n], x[n:]


def make(settings: EngineSettings, vectors: Floats) -> Engine:
    engine: Engine = registry.load("engine", settings.name)(settings)
    engine.build(vectors)
    return engine


def truth(vectors: Floats, queries: Floats, k: int, live: np.ndarray | None = None) -> np.ndarray:
    """The definition, written down naively in float64."""
    scores = (queries.astype(np.float64) @ vectors.astype(np.float64).T).astype(np.float32)
    if live is not None:
        scores[:, ~live] = -np.inf
    rows = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.where(np.take_along_axis(scores, rows, 1) == -np.inf, -1, rows)


def check(vectors: Floats, queries: Floats, k: int, rows: np.ndarray, scores: np.ndarray) -> None:
    """Shapes, types, order, exact scores, no row twice, padding at the end only."""
    assert rows.shape == scores.shape == (len(queries), k)
    assert rows.dtype == np.int64
    assert scores.dtype == np.float32
    for query, line, points in zip(queries, rows, scores, strict=True):
        found = line[line >= 0]
        assert (line[len(found) :] == -1).all()
        assert (points[len(found) :] == -np.inf).all()
        assert len(set(found.tolist())) == len(found)
        np.testing.assert_allclose(points[: len(found)], vectors[found] @ query, atol=2e-6)
        pairs = list(zip((-points[: len(found)]).tolist(), found.tolist(), strict=True))
        assert pairs == sorted(pairs)


@every_engine
@pytest.mark.parametrize("n", [0, 1, 3, 20])
@pytest.mark.parametrize("k", [1, 5, 30])
def test_few_rows_are_searched_exactly_and_padded(settings: EngineSettings, n: int, k: int) -> None:
    """Cases 1 and 7: k may exceed n, and no row -1 stands where a hit could."""
    vectors, queries = corpus()
    rows, scores = make(settings, vectors[:n]).search(queries[:4], k)
    check(vectors[:n], queries[:4], k, rows, scores)
    expected = truth(vectors[:n], queries[:4], k)
    assert rows[:, : min(n, k)].tolist() == expected.tolist()
    assert (rows[:, n:] == -1).all()


@every_engine
def test_recall_at_10_on_2000_rows(settings: EngineSettings) -> None:
    vectors, queries = corpus()
    rows, scores = make(settings, vectors).search(queries, 10)
    check(vectors, queries, 10, rows, scores)
    expected = truth(vectors, queries, 10)
    shared = [len(set(a) & set(b)) for a, b in zip(rows.tolist(), expected.tolist(), strict=True)]
    faiss = settings.name == "faiss"
    floor = FAISS_FLOORS[settings.faiss_kind] if faiss else FLOORS[settings.name]
    assert sum(shared) / (10 * len(queries)) >= floor


@every_engine
@pytest.mark.parametrize("k", [100, 2000, 2500])
def test_k_near_and_above_n(settings: EngineSettings, k: int) -> None:
    vectors, queries = corpus()
    rows, scores = make(settings, vectors).search(queries[:3], k)
    check(vectors, queries[:3], k, rows, scores)
    assert (np.count_nonzero(rows >= 0, axis=1) == min(k, 2000)).all()


@every_engine
def test_no_queries_give_an_empty_result(settings: EngineSettings) -> None:
    vectors, queries = corpus()
    rows, scores = make(settings, vectors).search(queries[:0], 7)
    assert rows.shape == scores.shape == (0, 7)


@every_engine
def test_a_thousand_queries_equal_one_by_one(settings: EngineSettings) -> None:
    vectors, queries = corpus()
    engine = make(settings, vectors)
    many = np.tile(queries, (10, 1))
    rows, scores = engine.search(many, 10)
    assert rows.shape == (1000, 10)
    for i in (0, 99, 500, 999):
        alone_rows, alone_scores = engine.search(many[i : i + 1], 10)
        assert alone_rows[0].tolist() == rows[i].tolist()
        assert alone_scores[0].tolist() == scores[i].tolist()


@every_engine
def test_equal_rows_come_in_order_with_equal_scores(settings: EngineSettings) -> None:
    """1,000 rows of one vector among others: the lowest of them first, bit-equal scores."""
    vectors = corpus()[0].copy()
    copies = np.sort(np.random.default_rng(1).permutation(2000)[:1000])
    vectors[copies] = vectors[copies[0]]
    rows, scores = make(settings, vectors).search(vectors[copies[:1]], 20)
    assert rows[0].tolist() == copies[:20].tolist()
    assert len(set(scores[0].tolist())) == 1


@every_engine
def test_copies_do_not_hide_other_rows(settings: EngineSettings) -> None:
    vectors, queries = corpus()
    vectors = vectors.copy()
    vectors[::2] = vectors[0]
    rows, _ = make(settings, vectors).search(queries, 10)
    expected = truth(vectors, queries, 10)
    shared = [len(set(a) & set(b)) for a, b in zip(rows.tolist(), expected.tolist(), strict=True)]
    assert sum(shared) / 1000 >= 0.90


@every_engine
def test_all_rows_equal(settings: EngineSettings) -> None:
    vectors = np.repeat(corpus()[0][:1], 600, axis=0)
    rows, _ = make(settings, vectors).search(vectors[:2], 10)
    assert rows.tolist() == [list(range(10))] * 2


@every_engine
@pytest.mark.parametrize("dead_share", [0.01, 0.3, 0.6, 0.9])
def test_dead_rows_never_appear(settings: EngineSettings, dead_share: float) -> None:
    vectors, queries = corpus()
    engine = make(settings, vectors)
    live = np.random.default_rng(2).random(2000) >= dead_share
    rows, scores = engine.search(queries, 10, live)
    check(vectors, queries, 10, rows, scores)
    assert live[rows].all()
    assert (rows >= 0).all()
    expected = truth(vectors, queries, 10, live)
    shared = [len(set(a) & set(b)) for a, b in zip(rows.tolist(), expected.tolist(), strict=True)]
    assert sum(shared) / 1000 >= 0.90


@every_engine
def test_the_nearest_rows_are_dead(settings: EngineSettings) -> None:
    """A filter that leaves out just what the query is near to: still 10 results, the right ones."""
    vectors, queries = corpus()
    live = np.ones(2000, np.bool_)
    live[truth(vectors, queries[:1], 300)[0]] = False
    rows, _ = make(settings, vectors).search(queries[:1], 10, live)
    assert rows.tolist() == truth(vectors, queries[:1], 10, live).tolist()


@every_engine
def test_a_mask_that_leaves_five(settings: EngineSettings) -> None:
    vectors, queries = corpus()
    live = np.zeros(2000, np.bool_)
    live[[3, 700, 701, 1500, 1999]] = True
    rows, scores = make(settings, vectors).search(queries[:10], 8, live)
    check(vectors, queries[:10], 8, rows, scores)
    assert rows.tolist() == truth(vectors, queries[:10], 8, live).tolist()
    assert (rows[:, 5:] == -1).all()


@every_engine
@pytest.mark.parametrize("n", [0, 5, 2000])
def test_all_dead(settings: EngineSettings, n: int) -> None:
    vectors, queries = corpus()
    rows, scores = make(settings, vectors[:n]).search(queries[:2], 3, np.zeros(n, np.bool_))
    assert rows.tolist() == [[-1] * 3] * 2
    assert (scores == -np.inf).all()


@every_engine
def test_a_second_build_takes_all_rows(settings: EngineSettings) -> None:
    """Case 3 (and 4): 2 rows, then 500 more."""
    vectors, _ = corpus()
    engine = make(settings, vectors[:2])
    engine.build(vectors[:502])
    rows, _ = engine.search(vectors[:502], 1)
    assert rows[:, 0].tolist() == list(range(502))


@every_engine
@pytest.mark.parametrize("n", [0, 1, 20, 2000])
def test_save_and_load(settings: EngineSettings, n: int, tmp_path: Path) -> None:
    vectors, queries = corpus()
    engine = make(settings, vectors[:n])
    engine.save(tmp_path)
    fresh: Engine = registry.load("engine", settings.name)(settings)
    fresh.load(tmp_path, vectors[:n])
    live = np.arange(n) % 3 != 0
    for mask in (None, live):
        before, after = engine.search(queries, 10, mask), fresh.search(queries, 10, mask)
        assert before[0].tolist() == after[0].tolist()
        assert before[1].tolist() == after[1].tolist()
    assert fresh.note == engine.note


@every_engine
@pytest.mark.parametrize("n", [0, 20, 2000])
def test_same_vectors_build_the_same_bytes(
    settings: EngineSettings, n: int, tmp_path: Path
) -> None:
    vectors, _ = corpus()
    kept: list[dict[str, bytes]] = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        make(settings, vectors[:n].copy()).save(folder)
        kept.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert kept[0]
    assert kept[0] == kept[1]


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lose(path: Path) -> None:
    path.unlink()


@every_engine
@pytest.mark.parametrize("damage", [truncate, flip, empty, lose])
def test_damaged_files_are_refused(
    settings: EngineSettings, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    vectors, _ = corpus()
    whole = tmp_path / "whole"
    whole.mkdir()
    make(settings, vectors[:300]).save(whole)
    for name in [path.name for path in whole.iterdir()]:
        folder = tmp_path / f"damaged-{name}"
        shutil.copytree(whole, folder)
        damage(folder / name)
        with pytest.raises((OSError, ValueError, RuntimeError)):
            registry.load("engine", settings.name)(settings).load(folder, vectors[:300])


@every_engine
def test_another_matrix_is_refused(settings: EngineSettings, tmp_path: Path) -> None:
    vectors, _ = corpus()
    make(settings, vectors[:30]).save(tmp_path)
    with pytest.raises(ValueError, match="rows 30, not 31"):
        registry.load("engine", settings.name)(settings).load(tmp_path, vectors[:31])


@every_engine
def test_wrong_shapes_are_refused_with_both_numbers(settings: EngineSettings) -> None:
    vectors, queries = corpus()
    engine = make(settings, vectors[:30])
    with pytest.raises(ValueError, match=r"384-d vectors, .* \(100, 100\)"):
        engine.search(queries[:, :100], 3)
    with pytest.raises(ValueError, match=r"30 rows, .* \(31,\)"):
        engine.search(queries, 3, np.ones(31, np.bool_))


@every_engine
def test_a_read_only_mapped_matrix_will_do(settings: EngineSettings, tmp_path: Path) -> None:
    vectors, queries = corpus()
    np.save(tmp_path / "v.npy", vectors)
    mapped = np.load(tmp_path / "v.npy", mmap_mode="r")
    rows, _ = make(settings, mapped).search(queries[:5], 10)
    assert rows.tolist() == make(settings, vectors).search(queries[:5], 10)[0].tolist()


@pytest.mark.parametrize("n", [1, 20, 38])
def test_ivf_over_few_rows_says_once_that_it_is_flat(
    n: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Case 6; and faiss itself writes no warning past us."""
    vectors, queries = corpus()
    engine = make(EngineSettings(name="faiss", faiss_kind="ivf"), vectors[:n])
    assert engine.note == f"faiss ivf: {n} vectors are too few for lists; they are searched as flat"
    assert engine.search(queries[:5], 5)[0].tolist() == [
        line + [-1] * (5 - len(line)) for line in truth(vectors[:n], queries[:5], 5).tolist()
    ]
    assert capfd.readouterr() == ("", "")


def test_faiss_kinds_do_not_load_each_other(tmp_path: Path) -> None:
    vectors, _ = corpus()
    make(EngineSettings(name="faiss", faiss_kind="ivf"), vectors).save(tmp_path)
    other = registry.load("engine", "faiss")(EngineSettings(name="faiss", faiss_kind="hnsw"))
    with pytest.raises(ValueError, match="engine faiss ivf, not faiss hnsw"):
        other.load(tmp_path, vectors)


def test_faiss_leaves_the_thread_count_alone() -> None:
    import faiss

    before = faiss.omp_get_max_threads()
    try:
        faiss.omp_set_num_threads(2)
        make(EngineSettings(name="faiss", faiss_kind="hnsw"), corpus()[0][:50])
        assert faiss.omp_get_max_threads() == 2
    finally:
        faiss.omp_set_num_threads(before)


@pytest.mark.parametrize(
    "name", [name for name, part in registry.PARTS["engine"].items() if part.needs]
)
def test_a_missing_package_names_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(Unavailable, match=f"engine '{name}' needs .* uv sync --extra {name}"):
        registry.load("engine", name)


def test_a_torn_hnsw_graph_is_made_up_for() -> None:
    """With 2 links a row the graph falls apart: hnswlib raises where it reaches fewer than asked."""
    pytest.importorskip("hnswlib")
    vectors, queries = corpus()
    settings = EngineSettings(name="hnsw", hnsw_m=2, hnsw_ef_construction=8, hnsw_ef_search=1)
    vectors = np.repeat(vectors[:20], 100, axis=0) + 1e-3 * corpus()[0]
    vectors = unit(vectors)
    engine = make(settings, vectors)
    with pytest.raises(RuntimeError):  # the trap is still there
        engine._query(queries, 100)  # type: ignore[attr-defined]
    rows, scores = engine.search(queries, 80)
    check(vectors, queries, 80, rows, scores)
    assert (rows >= 0).all()
