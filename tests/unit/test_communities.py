"""Communities and the reports on them."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from index.graph.communities import extractive
from index.graph.communities.leiden import groups_of
from index.graph.communities.material import Material, material_of
from index.graph.communities.records import read_communities
from ingest.contextualize.wish import Wish
from kb.records import Chunk
from tests.graph_files import Drawn, Related, Written, write_graph
from tests.graph_reports import PLANT, TEAM, TEXTS, reported, two_groups
from tests.llm_making import close_all, make
from tests.llm_server import Server, openai, says, serving, text_of

ANSWER = {
    "title": "The team",
    "summary": "Ana leads the team with Luis and Marta.",
    "findings": [
        {"text": "Ana leads the team with Luis and Marta.", "entities": ["Ana"]},
        {"text": "They wrote a manual.", "entities": ["Luis", "Marta"]},
    ],
}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(says(200, openai(msgspec.json.encode(ANSWER).decode()))) as running:
        yield running
    close_all()


def members(folder: Path) -> dict[str, set[str]]:
    """Names of each community's members, by its title's path."""
    graph = write_graph(folder / "again", two_groups())
    names = {graph.node(i).id: graph.node(i).name for i in range(len(graph))}
    return {one.path: {names[m] for m in one.members} for one in read_communities(folder / "graph")}


def test_who_has_to_do_with_each_other_is_together(tmp_path: Path) -> None:
    reported(tmp_path, two_groups())
    assert sorted(map(sorted, members(tmp_path).values())) == [sorted(TEAM), sorted(PLANT)]


def test_levels_and_parents(tmp_path: Path) -> None:
    # Four rings of four, joined to a ring: one community of all is split where it is too large.
    nodes = [Written(f"n{i}", [(0, 0, 1)]) for i in range(16)]
    edges = [Related(f"n{i}", f"n{4 * (i // 4) + (i + 1) % 4}", weight=5.0) for i in range(16)]
    edges += [Related(f"n{i}", f"n{(i + 4) % 16}", weight=4.0) for i in range(0, 16, 4)]
    graph = write_graph(tmp_path, Drawn(nodes, edges))
    groups = groups_of(graph, 3)
    assert groups == groups_of(graph, 3)
    for place, group in enumerate(groups):
        assert group.level >= 1
        if group.parent >= 0:
            assert group.parent < place
            assert set(group.members) < set(groups[group.parent].members)
            assert groups[group.parent].level > group.level


def test_no_edges_no_communities(tmp_path: Path) -> None:
    made = reported(tmp_path, Drawn([Written("Ana", [(0, 0, 3)])], rows=3))
    assert (list(made.chunks), list(made.stands_on)) == ([], [])
    assert "no communities" in made.notes[0]
    assert read_communities(tmp_path / "graph") == []


def test_an_empty_graph(tmp_path: Path) -> None:
    assert not reported(tmp_path, Drawn([], rows=3)).chunks


def test_a_report_is_word_for_word_from_the_documents(tmp_path: Path) -> None:
    made = reported(tmp_path, two_groups())
    assert len(made.chunks) == 2
    for chunk, rows in zip(made.chunks, made.stands_on, strict=True):
        assert chunk.kind == "community"
        assert chunk.path == f"community:{chunk.path[-8:]}"
        assert chunk.quotes
        for quote in chunk.quotes:
            row = int(quote.leaf[1:])
            assert row in rows
            words = chunk.text[quote.start : quote.end]
            assert TEXTS[row][quote.source_start : quote.source_end] == words
            assert (quote.path, quote.lines) == (f"{row}.md", (1, 1))
        assert chunk.leaves == tuple(f"c{row}" for row in rows)
        assert "".join(chunk.text[q.start : q.end] for q in chunk.quotes) == chunk.text.replace(
            "\n", ""
        )


def test_central_members_first(tmp_path: Path) -> None:
    # Weights inside: Ana 3 + 2 = 5, Luis 3 + 1 = 4, Marta 2 + 1 = 3; Ana's to Pump is outside.
    edges = [
        Related("Ana", "Luis", weight=3.0),
        Related("Ana", "Marta", weight=2.0),
        Related("Luis", "Marta", weight=1.0),
        Related("Ana", "Pump", weight=9.0),
    ]
    nodes = [Written(name) for name in ("Ana", "Luis", "Marta", "Pump")]
    graph = write_graph(tmp_path, Drawn(nodes, edges))
    inside = [n for n in range(4) if graph.node(n).name != "Pump"]
    material = material_of(graph, inside)
    assert [graph.node(n).name for n in material.members] == ["Ana", "Luis", "Marta"]
    assert list(material.weight.values()) == pytest.approx([1.0, 0.8, 0.6])
    assert [float(graph.weights[edge]) for edge in material.edges] == [3.0, 2.0, 1.0]


def sentence(number: int, named: set[int]) -> tuple[tuple[int, int, int], frozenset[int]]:
    return (0, 100 * number, 100 * number + 60), frozenset(named)


def test_sentences_are_chosen_for_whom_they_name() -> None:
    text = "".join(f"sentence number {n:02} ".ljust(100, "x") for n in range(4))
    leaf = Chunk("c", "d", "a.md", 0, len(text), text)
    weights = {1: 1.0, 2: 0.8, 3: 0.3}
    # Worth: 1.8, then 1 again (.5) with 3 (.3) = .8 and 2 again (.4) with 3 = .7, both before 1 alone (.5).
    sentences = dict(sentence(n, s) for n, s in enumerate([{1}, {2, 3}, {1, 2}, {1, 3}]))
    material = Material((1, 2, 3), weights, (), sentences)
    chosen = extractive.choose(material, lambda _row: leaf)
    assert chosen == sorted(sentences)  # all fit, and stand in the documents' order
    small = extractive.MOST
    extractive.MOST = 125  # two of them
    try:
        assert [p[1] // 100 for p in extractive.choose(material, lambda _row: leaf)] == [2, 3]
    finally:
        extractive.MOST = small


def test_what_is_said_twice_is_taken_once() -> None:
    text = ("the same sentence again and again" + " " * 67) * 2
    leaf = Chunk("c", "d", "a.md", 0, len(text), text)
    places = {(0, 0, 33): frozenset({1}), (0, 100, 133): frozenset({1})}
    assert extractive.choose(Material((1,), {1: 1.0}, (), places), lambda _row: leaf) == [
        (0, 0, 33)
    ]


def test_an_llm_reports(tmp_path: Path, server: Server) -> None:
    llm = make(tmp_path, server.url)
    made = reported(tmp_path, two_groups(), llm=lambda: llm)
    assert llm.calls == 2
    assert {chunk.title for chunk in made.chunks} == {"The team"}
    # A finding that the summary holds is not said twice.
    assert made.chunks[0].text == "Ana leads the team with Luis and Marta.\nThey wrote a manual."
    assert not made.chunks[0].quotes
    asked = text_of(server.bodies[0])
    assert "<community>" in asked
    assert "</community>" in asked


def test_only_what_changed_is_reported_again(tmp_path: Path, server: Server) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    first, second = (make(tmp_path / n, server.url) for n in "ab")
    reported(tmp_path / "1", two_groups(), llm=lambda: first)
    drawn = two_groups()
    drawn.edges.append(Related("Pump", "Well", "draws from", weight=3.0))
    made = reported(tmp_path / "2", drawn, before=tmp_path / "1" / "graph", llm=lambda: second)
    assert (first.calls, second.calls) == (2, 1)
    assert len(made.chunks) == 2
    ids = [{one.id for one in read_communities(tmp_path / n / "graph")} for n in ("1", "2")]
    assert ids[0] == ids[1]


def test_a_failed_report_is_stood_in_for(tmp_path: Path, server: Server) -> None:
    server.usual = says(200, openai("I would rather not."))
    llm = make(tmp_path, server.url)
    made = reported(tmp_path, two_groups(), llm=lambda: llm)
    assert len(made.failed) == 2
    assert all(chunk.quotes for chunk in made.chunks)


def test_a_cap_ends_the_asking_alone(tmp_path: Path, server: Server) -> None:
    llm = make(tmp_path, server.url, max_calls=1, concurrency=1)
    made = reported(tmp_path, two_groups(), llm=lambda: llm)
    assert (made.pending, len(made.chunks)) == (1, 2)
    assert made.stopped is not None
    again = reported(tmp_path / "2", two_groups(), llm=lambda: llm, wish=Wish(ask=False))
    assert (again.pending, again.stopped) == (1, None)  # what is in the cache is taken


def test_same_graph_same_bytes(tmp_path: Path) -> None:
    one, two = (reported(tmp_path / name, two_groups()) for name in "ab")
    assert one.chunks == two.chunks
    files = [(tmp_path / name / "graph" / "communities.jsonl").read_bytes() for name in "ab"]
    assert files[0] == files[1]
