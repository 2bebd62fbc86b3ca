"""Shortlists, blocks and the ivf plan, with the arithmetic shown."""

from pathlib import Path

import numpy as np
import pytest

import index.engines.scoring as scoring
from index.engines.approximate import ApproximateEngine, _to_fetch
from index.engines.base import Floats, Rows
from index.engines.faiss_ivf import plan_lists, plan_probes
from index.engines.scoring import Shortlist, exact_scores, search_exact
from kb.settings import EngineSettings


def test_a_shortlist_ranks_by_score_then_row() -> None:
    """Against (1, 0): rows 1 and 3 score .8, row 0 scores .6, row 2 scores 0."""
    vectors = np.array([[0.6, 0.8], [0.8, 0.6], [0.0, 1.0], [0.8, -0.6]], np.float32)
    query = np.array([1.0, 0.0], np.float32)
    shortlist = Shortlist(query, 3)
    shortlist.offer(np.array([3, 2]), vectors[[3, 2]] @ query)
    shortlist.offer(np.array([0, 1]), vectors[[0, 1]] @ query)
    rows, scores = shortlist.best(vectors)
    assert rows.tolist() == [1, 3, 0]
    assert scores.tolist() == pytest.approx([0.8, 0.8, 0.6])


def test_a_rounding_error_in_the_product_does_not_decide() -> None:
    """Rows 0 and 1 are equal, but the float32 product saw row 1 one ulp higher."""
    vectors = np.full((2, 4), 0.5, np.float32)
    query = vectors[0]
    shortlist = Shortlist(query, 1)
    shortlist.offer(np.array([0, 1]), np.array([1.0, np.nextafter(np.float32(1), np.float32(2))]))
    assert shortlist.best(vectors)[0].tolist() == [0]


def test_exact_scores_do_not_depend_on_the_place() -> None:
    vectors = np.random.default_rng(0).standard_normal((50, 384)).astype(np.float32)
    together = exact_scores(vectors, np.arange(50), vectors[0])
    alone = [exact_scores(vectors, np.array([i]), vectors[0])[0] for i in range(50)]
    assert together.tolist() == alone


@pytest.mark.parametrize("share", [0.0, 0.1, 0.8, 1.0])
def test_blocks_of_any_size_give_the_same(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((103, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    live = rng.random(103) < share
    whole = search_exact(vectors, vectors[:9], 12, live)
    monkeypatch.setattr(scoring, "ROWS_PER_BLOCK", 10)
    monkeypatch.setattr(scoring, "QUERIES_PER_BLOCK", 4)
    blocks = search_exact(vectors, vectors[:9], 12, live)
    assert whole[0].tolist() == blocks[0].tolist()
    assert whole[1].tolist() == blocks[1].tolist()


@pytest.mark.parametrize(
    ("wanted", "alive", "n", "count"),
    [
        (10, 1000, 1000, 14),  # 4 spare
        (100, 1000, 1000, 110),  # a tenth more
        (10, 500, 1000, 40),  # half are dead: (10 + 10) * 1000 / 500
        (10, 300, 1000, 67),  # 20 * 1000 / 300 = 66.7
        (90, 100, 1000, 1000),  # never more than there are
        (100, 900, 1000, 134),  # (100 + 20) * 1000 / 900 = 133.3
        (0, 0, 1000, 0),
    ],
)
def test_how_many_candidates(wanted: int, alive: int, n: int, count: int) -> None:
    assert _to_fetch(wanted, alive, n) == count


@pytest.mark.parametrize(
    ("asked", "n", "lists", "says"),
    [
        (0, 20, 1, "searched as flat"),  # 20 // 39 = 0
        (0, 78, 2, ""),  # 78 // 39
        (0, 2000, 51, ""),  # 2000 // 39, below 4 * sqrt(2000) = 179
        (0, 1_000_000, 4000, ""),  # 4 * sqrt(1,000,000)
        (100, 2000, 100, ""),
        (100, 30, 30, "30 lists instead of 100"),
        (1, 30, 1, ""),
    ],
)
def test_how_many_lists(asked: int, n: int, lists: int, says: str) -> None:
    planned, note = plan_lists(asked, n)
    assert planned == lists
    assert says in note
    assert bool(says) == bool(note)


@pytest.mark.parametrize(("asked", "lists", "probes"), [(0, 1, 1), (0, 51, 13), (8, 51, 8)])
def test_how_many_probes(asked: int, lists: int, probes: int) -> None:
    """Unless asked, a quarter: 51 / 4 = 12.75."""
    assert plan_probes(asked, lists) == probes


class Scripted(ApproximateEngine):
    """Proposes what it is told."""

    name = "scripted"
    proposal: tuple[int, ...] = ()

    def _build(self, vectors: Floats) -> str:
        return ""

    def _save(self, folder: Path) -> None: ...

    def _load(self, folder: Path, vectors: Floats) -> None: ...

    def _candidates(self, queries: Floats, count: int) -> Rows:
        rows = np.full((len(queries), count), -1, np.int64)
        rows[:, : len(self.proposal)] = self.proposal
        return rows


def fan() -> Floats:
    """400 unit vectors turning away from (1, 0): the lower row is the nearer."""
    angle = np.linspace(0, 1, 400)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


@pytest.mark.parametrize(
    ("proposal", "dead", "expected"),
    [
        ((9, 5, 7, 6), (), [5, 6, 7]),  # taken as proposed, scored and sorted
        ((9, 5), (), [0, 1, 2]),  # two are not three: all rows are compared
        ((9, 5, 7, 6), (5,), [0, 1, 2]),  # 9, 7, 6 are left, and the last may not be the third
        ((9, 5, 7, 6, 8), (5,), [6, 7, 8]),
        ((9, 5, 7, 6), (5, 6, 0), [1, 2, 3]),
        ((), (), [0, 1, 2]),
    ],
)
def test_candidates_count_only_where_they_decide(
    proposal: tuple[int, ...], dead: tuple[int, ...], expected: list[int]
) -> None:
    engine = Scripted(EngineSettings())
    engine.proposal = proposal
    engine.build(fan())
    live = np.ones(400, np.bool_)
    live[list(dead)] = False
    rows, _ = engine.search(fan()[:1], 3, live)
    assert rows.tolist() == [expected]


def test_a_tie_across_the_last_candidate_is_settled_by_all_rows() -> None:
    """Rows 100 to 119 are one vector; the engine saw only the last five of them."""
    vectors = fan()
    vectors[100:120] = vectors[100]
    engine = Scripted(EngineSettings())
    engine.proposal = (119, 118, 117, 116, 115)
    engine.build(vectors)
    assert engine.search(vectors[100:101], 3)[0].tolist() == [[100, 101, 102]]
