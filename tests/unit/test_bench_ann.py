"""What `tesela bench ann` measures, on vectors so few that recall can be counted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from index.bench import subjects, worker
from index.bench.ann import Left, Measured, build, measure
from index.bench.material import Material, _sentence, made_up
from index.bench.task import Build, Search
from index.bench.timing import timed_side_by_side
from index.bench.tune import tune
from index.bench.worker import recall
from kb import registry
from kb.errors import TeselaError, Unavailable, UsageError
from kb.settings import EngineSettings


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return made_up(1500, 32, 20, tmp_path_factory.mktemp("material"))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, which saves the start of a dozen others."""

    def at_once(task: Build | Search, engine: str, result: type[object]) -> object:
        return worker.build(task) if isinstance(task, Build) else worker.search(task)

    monkeypatch.setattr("index.bench.ann._in_a_process", at_once)


def test_recall_counts_any_row_that_ties() -> None:
    """Of two questions the third best are .7 and .4: 2 of 3 and 3 of 3 are that good, 5 / 6."""
    scores = np.array([[0.9, 0.7, 0.6], [0.5, 0.4, 0.4]], np.float32)
    assert recall(scores, np.array([0.7, 0.4], np.float32)) == pytest.approx(5 / 6)


def test_the_same_numbers_make_the_same_vectors(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    a, b = (made_up(70, 16, 3, tmp_path / name) for name in ("a", "b"))
    assert a.vectors.read_bytes() == b.vectors.read_bytes()
    rows = np.load(a.vectors)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    floors = np.sort(np.load(a.queries) @ rows.T, axis=1)[:, -10]
    np.testing.assert_allclose(np.load(a.floors), floors, atol=1e-6)


@pytest.mark.parametrize(("n", "d"), [(0, 8), (10, 1), (10**9, 8)])
def test_bounds_of_made_up_vectors(n: int, d: int, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--random"):
        made_up(n, d, 3, tmp_path)


def test_every_engine_is_measured_with_its_own_settings_among_the_points(
    here: None, material: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, kind in subjects.KINDS.items():
        monkeypatch.setitem(subjects.KINDS, name, replace(kind, rungs=kind.rungs[:2]))
    found = list(measure(material, subjects.chosen([]), EngineSettings()))
    by_name = {one.name: one for one in found if isinstance(one, Measured)}
    assert list(by_name) == list(subjects.KINDS)
    for name, one in by_name.items():
        assert len(one.searched.points) == max(len(one.efforts), 1)
        assert one.point.recall >= (0.95 if "ivf" not in name else 0.9)
        assert one.point.qps > 0
    assert by_name["exact"].point.recall == by_name["faiss-flat"].point.recall == 1.0
    graph = by_name["hnsw"]
    assert graph.efforts[graph.own] == EngineSettings().hnsw_ef_search
    assert graph.built.disk_bytes > 1500 * 32 * 4  # it holds a copy of the vectors
    assert by_name["exact"].built.disk_bytes < 1000


def test_what_is_not_installed_is_left_out_and_said(
    material: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(kind: str, name: str) -> registry.Part:
        raise Unavailable(f"{name} is gone")

    monkeypatch.setattr(registry, "choose", gone)
    assert list(measure(material, ["hnsw"], EngineSettings())) == [
        Left("hnsw", "hnsw is gone", missing=True)
    ]


def test_a_process_of_its_own(material: Material) -> None:
    (one,) = measure(material, ["faiss-flat"], EngineSettings())
    assert isinstance(one, Measured)
    assert one.point.recall == 1.0


def test_a_process_that_fails_says_why(material: Material, tmp_path: Path) -> None:
    with pytest.raises(TeselaError, match=r"engine 'exact' could not be measured: .*not/there"):
        build(material, EngineSettings(), str(tmp_path / "not" / "there"))


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(UsageError, match="no engine 'faiss' to measure: choose from exact, hnsw"):
        subjects.chosen(["faiss"])


@pytest.mark.parametrize(
    ("name", "changes", "n", "effort"),
    [
        ("exact", {}, 1000, None),
        ("hnsw", {"hnsw_ef_search": 70}, 1000, 70),
        ("annoy", {}, 1000, 20_000),
        ("annoy", {}, 20_000, 50_000),  # two and a half times the rows
        ("faiss-ivf", {}, 10_000, 64),  # 256 lists (10,000 / 39, below 4 * 100), a quarter
        ("faiss-ivf", {"faiss_nprobe": 999}, 10_000, 256),
    ],
)
def test_the_effort_of_settings(
    name: str, changes: dict[str, int], n: int, effort: int | None
) -> None:
    kind = subjects.KINDS[name]
    settings = subjects.settings_for(kind, EngineSettings(**changes))  # type: ignore[arg-type]
    assert subjects.own_effort(kind, settings, n) == effort
    tried = subjects.efforts(kind, settings, n)
    assert tried == sorted(set(tried))
    assert (effort in tried) == (effort is not None)


def test_the_quickest_time_of_each_query_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that a search moves by 3 s, then by 1 s, then by 2 s: 1 s it is."""
    steps: Iterator[float] = iter([3.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    now = [0.0]

    def search(query: np.ndarray) -> int:
        now[0] += next(steps)
        return int(query[0, 0])

    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    times, found = timed_side_by_side([search], np.array([[7.0]], np.float32), enough=100)
    assert times.tolist() == [[1.0]]
    assert found == [[7]]


def test_a_sentence_of_a_chunk() -> None:
    draw = np.random.default_rng(0)
    assert _sentence("Ya. This one is long enough to ask for something.", draw) == (
        "This one is long enough to ask for something."
    )
    assert _sentence("Corto.", draw) == "Corto."


def test_tuning_finds_a_lower_effort_that_is_enough(here: None, material: Material) -> None:
    found = tune(material, EngineSettings(name="hnsw"), 0.95)
    assert found.point.recall >= 0.95
    assert found.changes == {"hnsw_ef_search": found.settings.hnsw_ef_search}
    assert found.settings.hnsw_ef_search < 200


def test_tuning_builds_with_more_care_where_effort_is_not_enough(
    here: None, material: Material
) -> None:
    torn = EngineSettings(name="hnsw", hnsw_m=2, hnsw_ef_construction=8)
    found = tune(material, torn, 1.0)
    assert found.point.recall == 1.0
    assert found.settings.hnsw_m > 2


def test_a_recall_out_of_reach_is_said(material: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.bench.tune._MOST_TREES", 1)
    monkeypatch.setitem(
        subjects.KINDS, "annoy", subjects.Kind("annoy", "no", "no", "annoy_search_k", (1,))
    )
    weak = EngineSettings(name="annoy", annoy_trees=1, annoy_search_k=1)
    with pytest.raises(TeselaError, match=r"recall 1.0 is not reached by engine annoy: .* finds 0"):
        tune(material, weak, 1.0)


def test_auto_is_tuned_as_what_it_would_pick(here: None, material: Material) -> None:
    found = tune(material, EngineSettings(name="auto"), 0.9)
    assert (found.name, found.changes, found.point.recall) == ("exact", {}, 1.0)
