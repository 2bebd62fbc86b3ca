"""Trees as part of a generation: made by sync, kept current, hidden from those who may not read."""

from pathlib import Path
from typing import Any

import pytest

from index.derived.joined import JoinedReader, joined
from index.raptor.links import read_links
from index.raptor.stats import stats
from index.reader import GenerationReader
from kb import generations
from kb.configure import load_settings
from kb.errors import UsageError
from kb.location import Location
from kb.settings import AclRule, AclSettings
from query.filter import Filter, readable
from tests.fake_embedder import FLAGS, FakeEmbedder, synced
from tests.running import write

TOPICS = {
    "pump": "The pump runs at night. Grease the pump each week. A dry pump stops by itself. ",
    "valve": "The valve opens at three bar. A valve that leaks is closed. Turn the valve left. ",
    "well": "The well gives clean water. Cover the well in winter. A deep well is never dry. ",
    "fence": "Paint the fence in spring. A broken fence lets sheep out. The fence is of oak. ",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    files = {f"{name}/{i}.md": text * (2 + i) for name, text in TOPICS.items() for i in range(3)}
    write(tmp_path / "docs", files)
    return tmp_path


def indexed(
    home: Path, embedder: FakeEmbedder | None = None, **flags: Any
) -> tuple[Location, GenerationReader]:
    flags = {"raptor.enabled": True, **{f"raptor.{key}": value for key, value in flags.items()}}
    settings = load_settings(flags={**FLAGS, **flags}, environment={})
    location, _ = synced(home, embedder or FakeEmbedder(), settings)
    return location, GenerationReader.open(location)


def component(reader: GenerationReader) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (reader.folder / "raptor").iterdir()}


def test_summaries_are_chunks_that_name_their_leaves(home: Path) -> None:
    _, leaves = indexed(home)
    reader = joined(leaves)
    assert isinstance(reader, JoinedReader)
    by_id = {chunk.id: chunk for chunk in leaves.chunks}
    made = [chunk for chunk in reader.chunks if chunk.kind == "summary"]
    assert made
    assert set(made[-1].leaves) == set(by_id)  # the root
    for chunk in made:
        assert chunk.path.startswith("summary:")
        assert chunk.tokens > 0
        for quote in chunk.quotes:
            leaf = by_id[quote.leaf]
            text = (home / leaf.path).read_text(encoding="utf-8")
            assert (
                text[quote.source_start : quote.source_end] == chunk.text[quote.start : quote.end]
            )
            assert leaf.start <= quote.source_start < quote.source_end <= leaf.end


def test_links_reach_every_leaf(home: Path) -> None:
    _, reader = indexed(home, cluster_tokens=64)
    links = read_links(reader.folder / "raptor")
    assert links is not None
    reached: set[int] = set()
    waiting = links.tops.tolist()
    while waiting:
        place = waiting.pop()
        below = links.below(place).tolist()
        if links.levels[place] == 1:
            reached.update(below)
        else:
            assert all(links.levels[one] == links.levels[place] - 1 for one in below)
            waiting += below
    assert reached == set(range(len(reader)))
    assert len(links.tops) == 1


def test_an_unchanged_tree_is_not_made_again(home: Path) -> None:
    location, first = indexed(home)
    before = component(first)
    embedder = FakeEmbedder()
    _, second = indexed(home, embedder)
    assert second.manifest.number == first.manifest.number
    assert embedder.embedded == []
    assert component(second) == before
    assert generations.current_number(location) == 1


def test_another_order_of_work_gives_the_same_tree(home: Path, tmp_path: Path) -> None:
    _, one = indexed(home)
    other = tmp_path / "other"
    write(other / "docs", {"pump/0.md": TOPICS["pump"] * 2})
    indexed(other)
    for path in sorted((home / "docs").rglob("*.md")):
        write(other / "docs", {path.relative_to(home / "docs").as_posix(): path.read_bytes()})
    _, grown = indexed(other, rebuild_if="drift>0")
    assert stats(grown)["leaves_in_trees"] == stats(one)["leaves_in_trees"]


def test_an_edit_embeds_its_chunk_and_the_summaries_above_it(home: Path) -> None:
    indexed(home, cluster_tokens=64)
    path = home / "docs" / "pump" / "0.md"
    path.write_text(path.read_text(encoding="utf-8").replace("at night", "at noon", 1))
    embedder = FakeEmbedder()
    _, reader = indexed(home, embedder, cluster_tokens=64)
    links = read_links(reader.folder / "raptor")
    assert links is not None
    depth = int(links.levels.max())
    summaries = {chunk.text for chunk in joined(reader).chunks if chunk.kind == "summary"}
    made = [text for text in embedder.embedded if text in summaries]
    assert len(made) <= 2 * depth
    assert len(made) < len(links) / 2


def test_a_deleted_folder_leaves_no_tree_of_its_own(home: Path) -> None:
    _, reader = indexed(home, scope="folder")
    assert stats(reader)["trees"] == 4
    for path in (home / "docs" / "fence").iterdir():
        path.unlink()
    _, reader = indexed(home, scope="folder")
    found = stats(reader)
    assert found["trees"] == 3
    assert found["leaves_in_trees"] == len(reader)
    assert not [c for c in joined(reader).chunks if "fence" in c.text]


def test_summaries_are_hidden_with_the_words_they_hold(home: Path) -> None:
    _, leaves = indexed(home, scope="folder")
    reader = joined(leaves)
    assert isinstance(reader, JoinedReader)
    acl = AclSettings(rules=(AclRule(path="docs/pump/**", labels=("staff",)),))
    for principal, hidden in ((("staff",), False), ((), True)):
        live = readable(leaves, Filter(acl=acl, principal=principal))
        mask = reader.mask(live, ("text", "summary"))
        seen = [reader.chunks[row].text for row in range(len(reader)) if mask[row]]
        assert any("valve" in text for text in seen)
        assert any("pump" in text for text in seen) != hidden


def test_where_there_is_no_tree_the_way_out_is_told(home: Path) -> None:
    settings = load_settings(flags=FLAGS, environment={})
    location, _ = synced(home, FakeEmbedder(), settings)
    with pytest.raises(UsageError, match="tesela raptor build"):
        stats(GenerationReader.open(location))


def test_a_tree_of_a_version_to_come_is_no_tree_but_no_fault(home: Path) -> None:
    _, reader = indexed(home)
    entry = reader.folder / "raptor" / "forest.json"
    entry.write_bytes(entry.read_bytes().replace(b'"version":1', b'"version":999'))
    with pytest.raises(UsageError, match="no tree"):
        stats(reader)
    write(home / "docs", {"new.md": "The roof is of slate. Slate lasts."})
    _, later = indexed(home)
    assert stats(later)["leaves_in_trees"] == len(later)
