"""The network of leaves and entities, walks on it, and what they add to a ranking; arithmetic shown."""

from pathlib import Path

import numpy as np
import pytest

from index.chunk_table import ChunkTable, write_chunks
from index.graph.about import about, name_of
from index.graph.links import Links, Side, read_links, write_links
from index.graph.reader import FoldedGraph
from kb.records import Chunk
from query.graph.linked import linked, starts
from query.graph.walk import GO_ON, Mass, reach
from query.ranking import Ranking
from tests.graph_files import Drawn, Written, write_graph


def table_of(folder: Path, texts: list[str], titles: list[str] | None = None) -> ChunkTable:
    """One document of one chunk for each text."""
    folder.mkdir(parents=True, exist_ok=True)
    chunks = [
        Chunk(f"c{i}", f"d{i}", f"{i}.md", 0, len(text), text, title=(titles or [""] * 99)[i])
        for i, text in enumerate(texts)
    ]
    write_chunks(folder, chunks)
    return ChunkTable(folder)


def network(folder: Path, drawn: Drawn, titles: list[str]) -> tuple[FoldedGraph, Links]:
    graph = write_graph(folder / "graph", drawn)
    table = table_of(folder / "chunks", ["some words"] * drawn.rows, titles)
    write_links(folder / "graph", table, graph)
    return graph, read_links(folder / "graph")


# Four leaves. Leaf 0 names Ana and Luis, leaf 1 is about Ana, leaf 2 names Luis, leaf 3 nobody else's.
DRAWN = Drawn(
    [
        Written("Ana", [(0, 0, 3), (1, 0, 3)]),
        Written("Luis", [(0, 8, 12), (2, 0, 4)]),
        Written("Pump", [(3, 0, 4)]),
    ],
    rows=4,
)
TITLES = ["", "Ana (writer)", "", ""]


def test_shares_of_the_ways(tmp_path: Path) -> None:
    graph, links = network(tmp_path, DRAWN, TITLES)
    ana, luis = (graph.named(name)[0] for name in ("Ana", "Luis"))
    ways = dict(zip(*_ways(links.from_leaf, 0), strict=True))
    # Both stand in two of four leaves: ln(4 / 2) each, so half of the walks go to either.
    assert ways == pytest.approx({ana: 0.5, luis: 0.5})
    # Leaf 0 names Ana (1), leaf 1 is about her (3): 1/4 and 3/4.
    assert dict(zip(*_ways(links.from_entity, ana), strict=True)) == pytest.approx(
        {0: 0.25, 1: 0.75}
    )
    assert _ways(links.from_leaf, 3) == ([], [])  # what only one leaf names leads nowhere


def test_a_common_noun_counts_a_quarter(tmp_path: Path) -> None:
    nodes = [
        Written("Ana", [(0, 0, 1), (1, 0, 1)]),
        Written("well", [(0, 4, 8), (2, 0, 4)], "term"),
    ]
    graph, links = network(tmp_path, Drawn(nodes, rows=4), [""] * 4)
    ways = dict(zip(*_ways(links.from_leaf, 0), strict=True))
    assert ways == pytest.approx({graph.named("Ana")[0]: 0.8, graph.named("well")[0]: 0.2})
    # Leaf 2 names nothing but the well, a quarter as telling as a name of two leaves: the rest stay.
    assert _ways(links.from_leaf, 2)[1] == pytest.approx([0.25])


def _ways(side: Side, place: int) -> tuple[list[int], list[float]]:
    bounds = slice(int(side.ptr[place]), int(side.ptr[place + 1]))
    return side.to[bounds].tolist(), side.share[bounds].tolist()


def test_reach_by_hand(tmp_path: Path) -> None:
    _, links = network(tmp_path, DRAWN, TITLES)
    found = reach(links, Mass(np.array([0]), np.array([1.0])))
    # First step: half to Ana, of which 1/4 comes back and 3/4 goes to leaf 1; half to Luis, whose two
    # leaves get half each.
    first = np.array([0.5 * 0.25 + 0.5 * 0.5, 0.5 * 0.75, 0.5 * 0.5, 0.0])
    # From leaf 1 all go to Ana, from leaf 2 all to Luis.
    step = np.array([first[:3], [0.25, 0.75, 0.0], [0.5, 0.0, 0.5]])
    at, wanted = first[:3], first[:3].copy()
    for rate in (GO_ON, GO_ON**2, GO_ON**3):
        at = at @ step
        wanted += rate * at
    assert found.places.tolist() == [0, 1, 2]
    assert found.shares == pytest.approx(wanted, rel=1e-5)


def test_walks_do_not_step_on_hidden_leaves(tmp_path: Path) -> None:
    _, links = network(tmp_path, DRAWN, TITLES)
    live = np.array([True, False, True, True])
    found = reach(links, Mass(np.array([0]), np.array([1.0])), live=live)
    assert found.places.tolist() == [0, 2]


def test_walks_begin_at_entities_half_a_step_ahead(tmp_path: Path) -> None:
    graph, links = network(tmp_path, DRAWN, TITLES)
    ana = Mass(np.array(graph.named("Ana")), np.array([1.0]))
    found = reach(links, Mass(np.empty(0, np.int64), np.empty(0)), ana)
    assert found.shares[found.places == 1][0] > 0.75  # what arrives at first, and what comes back


def test_titles_that_are_names(tmp_path: Path) -> None:
    graph = write_graph(tmp_path / "g", DRAWN)
    texts = [
        "Ana\nshe writes books of many pages.",
        "Ana writes.\nAnd more.",
        "# Luis\n\nHe reads.",
    ]
    table = table_of(tmp_path / "c", texts)
    found = [(row, graph.node(node).name) for row, node in about(table, graph).tolist()]
    assert found == [(0, "Ana"), (2, "Luis")]  # a sentence is no title
    assert name_of("## Mercury (planet)") == "Mercury"


def test_the_best_hits_are_where_walks_begin() -> None:
    ranking = Ranking(np.array([7, 3, 9, 1]), np.array([2.0, 1.5, 1.0, 0.0]))
    begin = starts(ranking, 4, 9, 1.0)  # row 9 is no leaf
    # Scores scaled to 1, .75 and 0: e⁰, e^-1.25 and e^-5.
    total = 1 + np.exp(-1.25) + np.exp(-5)
    wanted = [np.exp(-5) / total, np.exp(-1.25) / total, 1 / total]
    assert begin.places.tolist() == [1, 3, 7]
    assert begin.shares == pytest.approx(wanted)


def test_new_scores_by_hand() -> None:
    # Two were looked at closely (range 1.0 to .6), one is behind them, one was reached by walks alone.
    ranking = Ranking(np.array([5, 4, 3, 2]), np.array([1.0, 0.6, 0.5, 0.1]))
    reached = Mass(np.array([2, 4]), np.array([0.08, 0.4]))
    new, parts = linked(ranking, 2, reached, 0.5)
    # Row 4: .6 + .5 · .4 · 1 (more than .16 arrive) = .8. Row 2 begins at the foot: .6 + .5 · .4 · .5 = .7.
    assert new.rows.tolist() == [5, 4, 2, 3]
    assert new.scores.tolist() == pytest.approx([1.0, 0.8, 0.7, 0.5])
    assert parts.parts(2) == pytest.approx(
        {"score_before": 0.1, "score_share": 0.6, "link_share": 0.1}
    )
    assert (parts.score + parts.link).tolist() == pytest.approx(new.scores.tolist())


def test_nothing_passes_the_best_one() -> None:
    ranking = Ranking(np.array([5, 4]), np.array([1.0, 0.9]))
    new, _ = linked(ranking, 2, Mass(np.array([4]), np.array([1.0])), 10.0)
    assert new.rows.tolist() == [5, 4]
    assert new.scores[1] == pytest.approx(0.9 + 10 * 0.1)
