"""Nodes, edges and files of a folded graph."""

import math
from pathlib import Path

import pytest

from index.graph.fold.edges import npmi
from index.graph.fold.fold import Folded, fold
from index.graph.fold.pieces import Piece
from index.graph.reader import FoldedGraph, in_words
from index.graph.records import Edge, Extraction
from index.graph.stats import stats
from index.graph.write import write_graph
from tests.graph_texts import AGENCY, folded, one, told


def saved(graph: Folded, folder: Path) -> FoldedGraph:
    write_graph(folder, graph, "rules")
    return FoldedGraph(folder)


def edges(graph: Folded) -> dict[tuple[str, str, str], Edge]:
    names = [node.name for node in graph.nodes]
    return {(names[e.source], names[e.target], e.relation): e for e in graph.edges}


def test_npmi() -> None:
    # p(x) = 2/8, p(y) = 4/8, p(x, y) = 2/8: ln(0.25 / 0.125) / -ln 0.25 = ln 2 / ln 4
    assert npmi(2, 2, 4, 8) == pytest.approx(math.log(2) / math.log(4))
    assert npmi(1, 1, 1, 8) == pytest.approx(1.0)  # never without each other
    assert npmi(2, 4, 4, 8) == pytest.approx(0.0)  # as often as by chance
    assert npmi(3, 3, 3, 3) == 1.0


def test_co_occurrence_weighs_sentences_by_how_telling_they_are() -> None:
    graph = folded(
        {"a.md": "Then Ada Brown met Bob Stone. Ada Brown left Leeds. Bob Stone left York."}
    )
    ada, bob = one(graph, "Ada Brown"), one(graph, "Bob Stone")
    (edge,) = [
        e
        for e in graph.edges
        if not e.relation and {graph.nodes[e.source], graph.nodes[e.target]} == {ada, bob}
    ]
    # both in 1 of 3 sentences, each in 2: ln((1/3) / (2/3 * 2/3)) / -ln(1/3) = ln 0.75 / ln 3
    above = math.log(0.75) / math.log(3)
    assert edge.weight == pytest.approx((1 + above) / 2, abs=1e-4)


def test_typed_relations_add_up_and_keep_their_sentences() -> None:
    text = "Ada Brown works at Acme Labs. Later Ada Brown trabaja en Acme Labs."
    graph = folded({"a.md": text})
    edge = edges(graph)["Ada Brown", "Acme Labs", "works at"]
    assert edge.weight == 2
    place = graph.edges.index(edge)
    assert [text[start:end] for _, start, end in graph.edge_spans[place]] == [
        "Ada Brown works at Acme Labs.",
        "Later Ada Brown trabaja en Acme Labs.",
    ]


def test_nodes_are_in_order_of_id_and_ends_are_theirs() -> None:
    graph = folded(AGENCY)
    assert [n.id for n in graph.nodes] == sorted(n.id for n in graph.nodes)
    assert all(e.source != e.target for e in graph.edges)
    assert all(0 <= end < len(graph.nodes) for e in graph.edges for end in (e.source, e.target))


def test_terms_need_two_chunks() -> None:
    texts = {
        "a.md": "He cleaned the settling tank.",
        "b.md": "She filled the settling tank slowly.",
    }
    assert one(folded(texts), "settling tank").type == "term"
    assert folded({"a.md": texts["a.md"]}).nodes == []


def test_ids_of_what_an_edit_does_not_touch_stay() -> None:
    before = folded(AGENCY)
    after = folded({**AGENCY, "new.md": "Ada Brown works at Acme Labs. Ada Brown met Bob Stone."})
    assert {node.id for node in before.nodes} <= {node.id for node in after.nodes}


def test_saved_and_read_back(tmp_path: Path) -> None:
    graph = folded(AGENCY)
    found = saved(graph, tmp_path)
    assert len(found) == len(graph.nodes) > 2
    assert [found.node(i) for i in range(len(found))] == graph.nodes
    assert [found.edge(i) for i in range(len(graph.edges))] == graph.edges
    (mercer,) = found.named("agent MERCER")
    assert found.node(mercer).name == "Alex Mercer"
    assert [(m.row, m.start, m.end) for m in found.mentions(mercer)] == graph.node_spans[mercer]
    rows, counts = found.rows_of(mercer)
    assert rows.tolist() == [0, 1]
    assert counts.tolist() == [4, 2]
    assert mercer in found.nodes_of(1)[0]
    others, links = found.neighbours(mercer)
    for other, link in zip(others.tolist(), links.tolist(), strict=True):
        assert set(found.ends[link].tolist()) == {mercer, other}
        assert found.edge_mentions(link)
    assert found.named("nobody") == []
    assert found.vectors is None
    with pytest.raises(IndexError):
        found.node(len(found))


def test_both_ways_through_the_incidence_agree(tmp_path: Path) -> None:
    found = saved(folded(AGENCY), tmp_path)
    pairs = {(row, node) for row in (0, 1) for node in found.nodes_of(row)[0].tolist()}
    assert pairs == {(row, n) for n in range(len(found)) for row in found.rows_of(n)[0].tolist()}
    pointers, nodes, counts = found.incidence
    assert pointers[-1] == len(nodes) == len(counts)


@pytest.mark.parametrize(
    ("pieces", "rows", "nodes", "edges", "words"),
    [
        ([], 0, 0, 0, "holds no chunks"),
        ([Piece(0, "a.csv", Extraction())], 3, 0, 0, "no entities were found in 3 chunks"),
        ([Piece(0, "a", told(("Ada", "person", "")))], 1, 1, 0, "one entity alone"),
        (
            [Piece(0, "a", told(("Ada", "person", ""), ("Leeds", "place", "")))],
            1,
            2,
            0,
            "no paths and no communities",
        ),
    ],
)
def test_graphs_with_little_in_them_say_so(
    tmp_path: Path, pieces: list[Piece], rows: int, nodes: int, edges: int, words: str
) -> None:
    found = saved(fold(pieces, rows), tmp_path)
    assert (found.facts.nodes, found.facts.edges, found.facts.rows) == (nodes, edges, rows)
    assert words in in_words(found.facts)
    assert stats(found)["alone"] == nodes
    assert found.named("Leeds") == ([] if nodes < 2 else found.named("leeds"))
    for row in range(rows):
        found.nodes_of(row)
    assert found.adjacency[0].tolist() == [0] * (nodes + 1)


def test_stats_count_what_hangs_together(tmp_path: Path) -> None:
    found = stats(saved(folded(AGENCY), tmp_path))
    assert found["nodes"] == sum(found["types"].values())
    assert found["largest"] >= 3
    assert found["typed"] >= 1
