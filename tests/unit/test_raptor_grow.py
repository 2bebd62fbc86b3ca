"""Forests: they end, they repeat themselves, and only what changed is summarised again."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from index.raptor.grow import Before, Grower, Grown
from index.raptor.leaves import Leaves
from index.raptor.nodes import in_own_words, quotes_now
from index.raptor.state import VERSION, ForestEntry, read_forest, write_forest
from index.raptor.update import before_of, chunks_of
from kb.records import Chunk
from kb.settings import RaptorSettings
from tests.raptor_trees import DIMENSION, ByFirst, chunk, count, leaves, topics

SETTINGS = RaptorSettings(rebuild_if="")


def some(n: int, k: int = 5, seed: int = 0) -> tuple[list[Chunk], NDArray[np.float32]]:
    return [chunk(f"c{i}", start=50 * i) for i in range(n)], topics(n, k, seed)


def grown(
    held: Leaves,
    folder: Path | None = None,
    settings: RaptorSettings = SETTINGS,
    *,
    retry: bool = False,
) -> tuple[Grown, ByFirst]:
    """A forest over leaves, brought up to date from the last in `folder` where there is one."""
    said = ByFirst()
    before = Before()
    if folder is not None and folder.exists():
        before = before_of(read_forest(last(folder)), held, "model", "shape")
    grower = Grower(held, settings, said, "by", said.embed, count, before, retry=retry)
    found = grower.grow()
    if folder is not None:
        number = len(list(folder.iterdir())) if folder.exists() else 0
        (folder / str(number)).mkdir(parents=True)
        entry = ForestEntry(
            VERSION, "model", "shape", "corpus", "first", len(held), found.drift, ()
        )
        write_forest(last(folder), found.forest, entry, held.keys, DIMENSION)
    return found, said


def last(folder: Path) -> Path:
    return folder / str(len(list(folder.iterdir())) - 1)


def levels(found: Grown) -> list[int]:
    return [len(layer.clusters) for layer in found.forest.trees[0].layers]


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in last(folder).iterdir()}


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_summarise_is_no_tree(n: int) -> None:
    found, said = grown(leaves(*some(n)))
    assert not found.forest.trees
    assert not said.asked


@pytest.mark.parametrize("n", [2, 3, 5, 7, 11])
def test_few_leaves_have_one_summary(n: int) -> None:
    found, _ = grown(leaves(*some(n)))
    assert levels(found) == [1]
    assert found.forest.trees[0].under()[0][0].tolist() == list(range(n))


@pytest.mark.parametrize("n", [12, 60, 400])
def test_levels_shrink_to_one_root(n: int) -> None:
    found, _ = grown(leaves(*some(n, k=8)))
    sizes = [n, *levels(found)]
    assert all(above <= below / 2 for below, above in pairwise(sizes))
    assert sizes[-1] == 1
    assert found.forest.trees[0].under()[-1][0].tolist() == list(range(n))


def test_identical_leaves_end_within_the_limit() -> None:
    # 200 leaves of 100 tokens, 3,500 a cluster: 20,000 / 3,500 = 5.7, six clusters of 33 or 34
    chunks, vectors = some(200)
    found, _ = grown(leaves(chunks, np.tile(vectors[:1], (200, 1))))
    assert levels(found) == [6, 1]
    layer = found.forest.trees[0].layers[0]
    assert sorted(len(cluster) for cluster in layer.clusters.values()) == [33] * 4 + [34] * 2


def test_levels_end_at_the_declared_maximum() -> None:
    found, _ = grown(leaves(*some(400, k=20)), settings=RaptorSettings(max_levels=1))
    assert len(levels(found)) == 1
    assert levels(found)[0] > 1


def test_no_cluster_is_longer_than_the_limit() -> None:
    settings = RaptorSettings(cluster_tokens=1000)
    found, _ = grown(leaves(*some(300, k=2)), settings=settings)
    layer = found.forest.trees[0].layers[0]
    assert max(len(cluster) for cluster in layer.clusters.values()) <= 10  # of 100 tokens each


def test_topics_are_told_apart() -> None:
    found, _ = grown(leaves(*some(200, k=8)))
    clusters = found.forest.trees[0].layers[0].clusters.values()
    pure = sum(len(set((cluster.rows % 8).tolist())) == 1 for cluster in clusters)
    assert pure >= 0.9 * len(clusters)


def test_each_leaf_has_one_home() -> None:
    found, _ = grown(leaves(*some(300, k=30)))
    for layer in found.forest.trees[0].layers:
        homes = [row for c in layer.clusters.values() for row in c.rows[c.home].tolist()]
        assert sorted(homes) == layer.members.tolist()


@pytest.mark.parametrize("threads", [1, 2])
def test_equal_input_gives_equal_bytes(tmp_path: Path, threads: int) -> None:
    with threadpool_limits(threads):
        grown(leaves(*some(250, k=12)), tmp_path / "one")
    with threadpool_limits(3 - threads):
        grown(leaves(*some(250, k=12)), tmp_path / "two")
    assert everything(tmp_path / "one") == everything(tmp_path / "two")


def test_nothing_changed_costs_nothing_and_gives_equal_bytes(tmp_path: Path) -> None:
    held = leaves(*some(250, k=12))
    grown(held, tmp_path / "tree")
    before = everything(tmp_path / "tree")
    found, said = grown(held, tmp_path / "tree")
    assert said.asked == []
    assert said.embedded == []
    assert sum(found.summarised) == 0
    assert everything(tmp_path / "tree") == before


def test_one_edited_chunk_costs_its_ancestors(tmp_path: Path) -> None:
    chunks, vectors = some(1000, k=40)
    first, _ = grown(leaves(chunks, vectors), tmp_path / "tree")
    chunks[500] = chunk("edited", start=50 * 500)
    rng = np.random.default_rng(1)
    vectors = vectors.copy()
    vectors[500] += 0.05 * rng.normal(size=DIMENSION).astype(np.float32)
    vectors[500] /= np.linalg.norm(vectors[500])
    second, said = grown(leaves(chunks, vectors), tmp_path / "tree")
    depth = len(levels(first))
    members = [
        sum(500 in rows for rows in under.values())
        for one in (first, second)
        for under in one.forest.trees[0].under()
    ]
    assert levels(second) == levels(first)
    assert sum(second.summarised) <= depth * max(members)
    assert len(said.embedded) == sum(second.summarised)
    assert sum(second.summarised) < sum(levels(first)) / 10


def test_a_moved_document_keeps_its_summaries_and_moves_their_quotes(tmp_path: Path) -> None:
    chunks, vectors = some(40)
    grown(leaves(chunks, vectors), tmp_path / "tree")
    later = [chunk(f"c{i}", start=50 * i + 7) for i in range(40)]
    found, said = grown(leaves(later, vectors), tmp_path / "tree")
    assert said.asked == []
    made, _ = chunks_of(found.forest, leaves(later, vectors))
    text = "".join(one.text.ljust(50) for one in later)
    for one in made:
        for quote in one.quotes:
            words = one.text[quote.start : quote.end]
            assert text[quote.source_start - 7 : quote.source_end - 7] == words
            assert quote.lines is not None
            assert quote.lines[0] == quote.source_start + 1


def test_a_deleted_cluster_is_pruned(tmp_path: Path) -> None:
    chunks, vectors = some(200, k=8)
    first, _ = grown(leaves(chunks, vectors), tmp_path / "tree")
    goner = first.forest.trees[0].layers[0].clusters[0].rows.tolist()
    stay = [i for i in range(200) if i not in goner]
    second, said = grown(leaves([chunks[i] for i in stay], vectors[stay]), tmp_path / "tree")
    assert levels(second)[0] < levels(first)[0]
    assert second.forest.trees[0].under()[-1][0].tolist() == list(range(len(stay)))
    assert sum(said.asked) < sum(levels(first)) / 2


def test_a_cluster_that_grew_too_long_is_divided(tmp_path: Path) -> None:
    chunks, vectors = some(200, k=8)
    settings = RaptorSettings(cluster_tokens=1500, rebuild_if="")
    grown(leaves(chunks, vectors), tmp_path / "tree", settings)
    further = topics(100, 1, seed=9) * 0.05 + vectors[:1]
    further /= np.linalg.norm(further, axis=1, keepdims=True)
    more = [*chunks, *(chunk(f"new{i}", "z.md", 50 * i) for i in range(100))]
    found, _ = grown(
        leaves(more, np.concatenate([vectors, further.astype(np.float32)])),
        tmp_path / "tree",
        settings,
    )
    layer = found.forest.trees[0].layers[0]
    assert max(100 * len(cluster) for cluster in layer.clusters.values()) <= 1.25 * 1500
    assert layer.members.tolist() == list(range(300))


def test_trees_by_document_and_folder() -> None:
    chunks = [chunk(f"c{i}", f"d{i % 2}/f{i % 4}.md", 50 * i) for i in range(16)]
    chunks.sort(key=lambda one: one.path)
    vectors = topics(16, 3)
    by_document = leaves([*chunks, chunk("lone", "z.md")], topics(17, 3), "document")
    found, said = grown(by_document)
    assert [tree.scope for tree in found.forest.trees] == [
        "d0/f0.md", "d0/f2.md", "d1/f1.md", "d1/f3.md"
    ]  # fmt: skip
    assert said.asked == [4]  # a level of all trees at once
    by_folder, _ = grown(leaves(chunks, vectors, "folder"))
    assert [tree.scope for tree in by_folder.forest.trees] == ["d0", "d1"]


def test_drift_beyond_the_rule_grows_anew(tmp_path: Path) -> None:
    chunks, vectors = some(300, k=6)
    grown(leaves(chunks, vectors), tmp_path / "tree")
    turned = vectors.copy()
    turned[:140] = topics(140, 3, seed=5)  # nearly half of them are about something else now
    edited = [chunk(f"e{i}", start=50 * i) for i in range(140)] + chunks[140:]
    held = leaves(edited, turned)
    kept, _ = grown(held, None)
    loose = RaptorSettings(rebuild_if="")
    drifted, _ = grown(held, tmp_path / "tree", loose)
    assert drifted.drift > 0.05
    assert drifted.rebuilt is None
    strict = RaptorSettings(rebuild_if="drift>0.05")
    rebuilt, _ = grown(held, tmp_path / "tree", strict)
    assert rebuilt.rebuilt == pytest.approx(drifted.drift)
    assert rebuilt.drift == 0.0
    assert levels(rebuilt) == levels(kept)


def test_a_summary_in_its_own_words_stands_on_all_its_leaves() -> None:
    held = leaves(*some(5))
    found, _ = grown(held)
    node = found.forest.trees[0].nodes[0][0]
    assert not in_own_words(node)
    chunks, stands_on = chunks_of(found.forest, held)
    assert stands_on == [[0, 1, 2, 3, 4]]
    assert chunks[0].leaves == tuple(held.ids)
    assert [quote.leaf for quote in quotes_now(node, lambda _: held.at(0))] == held.ids
