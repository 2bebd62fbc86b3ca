"""Mode tree over a real tree: which summaries answer, what they tell, and what they must not."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from index.derived.joined import JoinedReader, joined
from index.reader import GenerationReader
from kb.configure import load_settings
from kb.records import Chunk, Hit
from kb.settings import QuerySettings
from query.answer.compose import quoted
from query.expand import expanded
from query.filter import Filter, rows
from query.pipeline import Searcher
from query.tree.step import TreeStep
from tests.fake_embedder import FLAGS, FakeEmbedder, synced
from tests.running import write

THINGS = ("pump", "valve", "filter", "panel", "tank", "meter")
FILES = {
    f"{thing}.md": f"# The {thing}\n\n"
    + "\n\n".join(
        f"The {thing} number {i} is greased in week {i} by team {i % 3}. "
        f"Whoever opens the {thing} writes it into ledger {i} of the {thing} house."
        for i in range(6)
    )
    for thing in THINGS
}
SECRET = "The hidden vault of the pump holds platinum."
SETTINGS = load_settings(flags=FLAGS | {"raptor.enabled": True}, environment={})
FILES["secret.md"] = (
    f"---\nacl: [staff]\n---\n# The pump\n\n{SECRET} " + "The pump is greased. " * 9
)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GenerationReader:
    home = tmp_path_factory.mktemp("trees")
    write(home / "docs", FILES)
    location, _ = synced(home, FakeEmbedder(), SETTINGS)
    return GenerationReader.open(location)


@pytest.fixture(scope="module")
def whole(reader: GenerationReader) -> JoinedReader:
    both = joined(reader)
    assert isinstance(both, JoinedReader)
    return both


def ask(
    reader: GenerationReader,
    text: str = "How is the pump greased throughout the year?",
    who: str | None = None,
    explain: bool = False,
    **settings: object,
) -> list[Hit]:
    given = {"mode": "tree", "k": 6} | settings
    searcher = Searcher(reader, QuerySettings(**given), FakeEmbedder)  # type: ignore[arg-type]
    live = None if who is None else rows(reader, Filter(principal=(who,)))
    return searcher.search(text, live, explain)


def leaves_by_id(reader: GenerationReader) -> dict[str, Chunk]:
    return {chunk.id: chunk for chunk in reader.chunks}


def test_summaries_tell_what_their_leaves_say_on_the_question(reader: GenerationReader) -> None:
    hits = ask(reader)
    leaves = leaves_by_id(reader)
    told: list[tuple[str, int]] = []
    assert {hit.chunk.kind for hit in hits} == {"summary"}
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    for hit in hits:
        assert hit.expanded is not None
        assert hit.expanded.kind == "question"
        for quote in hit.expanded.quotes:
            leaf = leaves[quote.leaf]
            source = leaf.text[quote.source_start - leaf.start : quote.source_end - leaf.start]
            assert hit.expanded.text[quote.start : quote.end].split() == source.split()
            assert quote.leaf in hit.chunk.leaves
            told.append((quote.leaf, quote.source_start))
    assert len(told) == len(set(told))  # each sentence once, over all hits
    first = hits[0].expanded
    assert first is not None
    assert "pump" in first.text


def test_a_collapsed_tree_has_leaves_and_summaries(reader: GenerationReader) -> None:
    hits = ask(reader, tree="collapsed", k=30)
    assert {hit.chunk.kind for hit in hits} == {"text", "summary"}
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_the_path_leads_from_the_top(reader: GenerationReader, whole: JoinedReader) -> None:
    by_path = {chunk.path: chunk for chunk in whole.chunks if chunk.kind == "summary"}
    top = max(chunk.level for chunk in by_path.values())
    for hit in ask(reader, explain=True):
        assert hit.explain is not None
        path = [by_path[name] for name in hit.explain["path"]]
        assert path[-1].id == hit.chunk.id
        assert [chunk.level for chunk in path] == list(range(top, hit.chunk.level - 1, -1))
        for above, below in pairwise(path):
            assert set(below.leaves) <= set(above.leaves)


def test_what_a_principal_may_not_read_is_not_told(reader: GenerationReader) -> None:
    asked = "What does the hidden vault of the pump hold, in general terms? platinum"
    assert any("platinum" in shown(hit) for hit in ask(reader, asked, k=20))
    for tree in ("descend", "collapsed"):
        hits = ask(reader, asked, who="guest", tree=tree, k=20)
        assert hits
        assert not any("platinum" in shown(hit) for hit in hits)
        settings = QuerySettings(expand="leaves", expand_characters=100_000)
        live = rows(reader, Filter(principal=("guest",)))
        for hit in expanded(hits, joined(reader), settings, live):
            assert "platinum" not in shown(hit)


def shown(hit: Hit) -> str:
    return f"{hit.chunk.text} {hit.expanded.text if hit.expanded else ''}"


def test_what_is_excluded_is_not_told(reader: GenerationReader) -> None:
    hits = ask(reader, "How is the pump greased? -platinum", k=20)
    assert hits
    assert not any("platinum" in shown(hit) for hit in hits)


def test_leaves_answer_where_a_filter_leaves_no_summary(
    reader: GenerationReader, whole: JoinedReader
) -> None:
    one = np.zeros(len(reader), np.bool_)
    one[0] = True
    assert not whole.mask(one, ("summary",)).any()
    searcher = Searcher(reader, QuerySettings(mode="tree", k=3), FakeEmbedder)
    hits = searcher.search("How is everything greased?", one)
    assert [hit.chunk.id for hit in hits] == [reader.chunks[0].id]


def test_a_hidden_leaf_hides_none_of_its_neighbours(whole: JoinedReader) -> None:
    step = TreeStep(whole, QuerySettings(mode="tree", k=30))
    searcher = Searcher(whole, QuerySettings(mode="tree", k=30), FakeEmbedder)
    question = searcher.question("How is the pump greased throughout the year?")
    leaves = whole.mask(None, ("text",))
    for hidden in np.flatnonzero(leaves):
        live = np.ones(int(leaves.sum()), np.bool_)
        live[hidden] = False
        admitted = step.admitted(question, live)
        assert not admitted[hidden]
        told = {leaf for row in np.flatnonzero(admitted) for leaf in whole.chunks[int(row)].leaves}
        reached = {whole.chunks[int(row)].id for row in np.flatnonzero(admitted & leaves)} | told
        assert {whole.chunks[int(row)].id for row in np.flatnonzero(live)} <= reached


def test_leaves_of_a_summary_are_expanded(reader: GenerationReader, whole: JoinedReader) -> None:
    hits = ask(reader, k=2)
    settings = QuerySettings(expand="leaves", expand_characters=500)
    leaves = leaves_by_id(reader)
    for hit in expanded(hits, whole, settings):
        assert hit.expanded is not None
        assert hit.expanded.kind == "leaves"
        assert [quote.leaf for quote in hit.expanded.quotes] == sorted(
            (quote.leaf for quote in hit.expanded.quotes),
            key=lambda name: (leaves[name].path, leaves[name].start),
        )
        for quote in hit.expanded.quotes:
            assert hit.expanded.text[quote.start : quote.end] == leaves[quote.leaf].text
        total = sum(len(leaves[name].text) for name in hit.chunk.leaves)
        kept = sum(quote.end - quote.start for quote in hit.expanded.quotes)
        assert kept + hit.expanded.after == total
    text_hits = ask(reader, mode="hybrid")
    assert expanded(text_hits, reader, settings) == text_hits


def test_auto_takes_the_tree_for_a_broad_question_only(reader: GenerationReader) -> None:
    broad = ask(reader, mode="auto", explain=True)
    assert {hit.chunk.kind for hit in broad} == {"summary"}
    assert broad[0].explain is not None
    assert broad[0].explain["route"]["mode"] == "tree"
    assert "throughout" in broad[0].explain["route"]["reason"]
    narrow = "Who greases the pump in week 3?"
    assert ask(reader, narrow, mode="auto") == ask(reader, narrow, mode="hybrid")


def test_without_a_tree_the_modes_are_as_hybrid(tmp_path: Path) -> None:
    write(tmp_path / "docs", {"a.md": "The pump is greased."})
    location, _ = synced(tmp_path, FakeEmbedder())
    bare = GenerationReader.open(location)
    flat = ask(bare, mode="hybrid")
    assert flat
    for mode in ("tree", "auto"):
        assert ask(bare, mode=mode) == flat


def test_an_answer_cites_the_passages_themselves(reader: GenerationReader) -> None:
    hits = ask(reader)
    question = Searcher(reader, QuerySettings(mode="tree"), FakeEmbedder).question("pump?")
    found = quoted(question, hits, reader, FakeEmbedder())
    assert found.sources
    for source in found.sources:
        assert source.hit.chunk.kind == "text"
        assert source.hit.chunk == leaves_by_id(reader)[source.hit.chunk.id]
