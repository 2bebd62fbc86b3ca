"""What holds for whatever is derived from chunks."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from index.derived.joined import JoinedReader, joined
from index.derived.reader import DerivedReader
from index.reader import GenerationReader
from index.sync import SyncReport, index_documents
from ingest.contextualize.wish import Wish
from kb import generations
from kb.configure import load_settings
from kb.location import at
from kb.records import Hit
from kb.registry import PARTS, Part
from kb.settings import QuerySettings
from kb.store import Store
from query.filter import Filter, rows
from query.pipeline import Searcher
from tests.digests import TARGET, Digests
from tests.fake_embedder import FLAGS, FakeEmbedder, quiet
from tests.fake_embedder import synced as synced_at
from tests.running import write

FILES = {
    "a.md": "# Pump\n\nThe pump runs at night.\n\n" + "Grease the pump every week. " * 12,
    "b.md": "# Valve\n\nThe valve opens at 3 bar.\n\n" + "A valve that leaks is closed. " * 12,
    "c.md": "---\nacl: [staff]\n---\n# Well\n\nThe well gives water.",
}


@pytest.fixture(autouse=True)
def digests(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The derivation is registered, and remembers nothing."""
    monkeypatch.setitem(PARTS, "derivation", {"digests": Part(TARGET, "for tests")})
    for name, value in (("on", True), ("pending", 0), ("failed", {}), ("made", [])):
        monkeypatch.setattr(Digests, name, value)
    yield


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    write(tmp_path / "docs", FILES)
    return tmp_path / "docs"


def synced(docs: Path) -> SyncReport:
    return synced_at(docs.parent, FakeEmbedder())[1]


def found(reader: GenerationReader, mode: str, question: str) -> list[Hit]:
    settings = QuerySettings(mode=mode, k=50)  # type: ignore[arg-type]
    return Searcher(reader, settings, FakeEmbedder).search(question)


def test_derived_chunks_are_searched_like_leaves(docs: Path) -> None:
    synced(docs)
    reader = GenerationReader.open(at(docs.parent))
    hits = found(reader, "tree", "pump at night")
    kinds = {hit.chunk.kind for hit in hits}
    assert kinds == {"text", "summary"}
    summary = next(hit for hit in hits if hit.chunk.kind == "summary")
    assert set(summary.legs) == {"dense", "sparse"}
    assert summary.rerank is not None


@pytest.mark.parametrize("mode", ["dense", "sparse", "hybrid"])
def test_flat_modes_do_not_see_that_anything_is_derived(docs: Path, mode: str) -> None:
    synced(docs)
    with_digests = found(GenerationReader.open(at(docs.parent)), mode, "the pump and the valve")
    Digests.on = False
    synced(docs)
    reader = GenerationReader.open(at(docs.parent))
    assert "derived" not in reader.manifest.components
    assert found(reader, mode, "the pump and the valve") == with_digests


def test_a_leaf_scores_the_same_beside_derived_chunks(docs: Path) -> None:
    synced(docs)
    reader = GenerationReader.open(at(docs.parent))
    both = joined(reader)
    count = len(reader)
    words = both.bm25.words("grease the pump")
    assert np.array_equal(both.bm25.scores(words)[:count], reader.bm25.scores(words))
    assert both.bm25.ceiling(words) == reader.bm25.ceiling(words)
    vector = FakeEmbedder().embed(["grease the pump"], "query")
    found_rows, scores = both.engine.search(vector, len(both))
    leaves = found_rows[0] < count
    own_rows, own_scores = reader.engine.search(vector, count)
    assert np.array_equal(found_rows[0][leaves], own_rows[0])
    assert np.array_equal(scores[0][leaves], own_scores[0])


def test_a_joined_reader_agrees_with_itself(docs: Path) -> None:
    synced(docs)
    both = joined(GenerationReader.open(at(docs.parent)))
    assert isinstance(both, JoinedReader)
    count = len(both)
    assert count == len(both.leaves) + 3
    assert np.array_equal(both.vectors_of(np.arange(count)), both.vectors)
    tokens = both.tokens
    assert tokens is not None
    assert len(tokens) == count == len(both.chunks)
    codes, offsets = tokens.take(np.asarray([count - 1, 0], np.int64))
    assert len(codes) == offsets[-1]
    assert both.chunks.raw(0, count).count(b"\n") == count
    ends = [both.chunks.rows(number)[1] for number in range(len(both.chunks.documents))]
    assert ends[-1] == count
    for row in (0, count - 1):
        assert both.bm25.explain("pump water valve", row) is not None


def test_a_filter_hides_what_stands_on_hidden_leaves(docs: Path) -> None:
    synced(docs)
    reader = GenerationReader.open(at(docs.parent))
    both = joined(reader)
    assert isinstance(both, JoinedReader)
    live = rows(reader, Filter(principal=()))
    assert live is not None  # c.md is for staff only
    shown = np.flatnonzero(both.mask(live, ("text", "summary")))
    paths = [both.chunks[int(row)] for row in shown]
    assert not any("well" in chunk.text for chunk in paths)
    assert sum(chunk.kind == "summary" for chunk in paths) == 2


def test_a_filter_of_everything_leaves_nothing(docs: Path) -> None:
    synced(docs)
    both = joined(GenerationReader.open(at(docs.parent)))
    assert isinstance(both, JoinedReader)
    nothing = np.zeros(len(both.leaves), np.bool_)
    assert not both.mask(nothing, ("text", "summary")).any()
    assert both.mask(None, ("summary",)).sum() == 3


def test_only_new_derived_texts_are_embedded(docs: Path) -> None:
    first = synced(docs).build.embedded
    both = joined(GenerationReader.open(at(docs.parent)))
    assert first == len({text for text, _ in both.chunks.texts()})
    write(docs, {"d.md": "One new line."})
    assert synced(docs).build.embedded == 2  # the line and its digest
    (docs / "d.md").unlink()
    assert synced(docs).build.embedded == 0
    assert not any("new line" in chunk.text for chunk in derived(docs).chunks)


def derived(docs: Path) -> DerivedReader:
    return DerivedReader(GenerationReader.open(at(docs.parent)))


def test_nothing_new_makes_nothing(docs: Path) -> None:
    first = synced(docs)
    again = synced(docs)
    assert not again.build.published
    assert len(Digests.made) == 1
    assert again.build.generation == first.build.generation


def test_the_derivation_is_given_its_folder_before(docs: Path) -> None:
    synced(docs)
    write(docs, {"d.md": "One new line."})
    synced(docs)
    assert Digests.made[0] is None
    before = Digests.made[1]
    assert before is not None
    assert before.parent.name == "0001"


def test_damage_in_what_was_before_is_not_built_upon(docs: Path) -> None:
    synced(docs)
    folder = generations.current_folder(at(docs.parent))
    assert folder is not None
    (folder / "digests" / "own.json").write_text("[]")
    write(docs, {"d.md": "One new line."})
    synced(docs)
    assert Digests.made[1] is None


def test_what_an_llm_was_not_asked_for_is_asked_for_by_the_next_run(docs: Path) -> None:
    Digests.pending = 2
    report = synced(docs).build
    assert report.derived.pending == 2
    assert report.derived.stopped is not None
    again = synced(docs).build
    assert len(Digests.made) == 2
    assert not again.published  # it said nothing new
    Digests.pending = 0
    done = synced(docs).build
    assert done.published
    assert not synced(docs).build.published
    assert len(Digests.made) == 3


def test_what_an_llm_failed_at_is_asked_again_only_on_demand(docs: Path) -> None:
    Digests.failed = {"summary:1": "it said nothing"}
    assert synced(docs).build.derived.failed
    assert not synced(docs).build.published
    assert len(Digests.made) == 1
    write(docs, {"d.md": "One new line."})
    Digests.failed = {}
    assert synced(docs).build.published
    assert not synced(docs).build.published


def test_another_stage_asks_nothing_again_of_it(docs: Path) -> None:
    Digests.failed = {"summary:1": "it said nothing"}
    synced(docs)
    location = at(docs.parent)
    settings = load_settings(flags=FLAGS, environment={})
    for only, times in (("raptor", 1), ("digests", 2)):
        with Store(location) as store:
            wish = Wish(retry=True, only=only)
            index_documents(location, store, settings, FakeEmbedder(), quiet, wish=wish)
        assert len(Digests.made) == times


def test_a_base_without_documents_has_an_empty_index_of_derived_chunks(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    write(docs, {"a.md": "Something."})
    synced(docs)
    (docs / "a.md").unlink()
    synced(docs)
    reader = GenerationReader.open(at(docs.parent))
    assert len(reader) == 0
    assert len(derived(docs)) == 0
    assert found(reader, "tree", "something") == []
