"""Whatever is added, edited or deleted, a forest stays whole and near a fresh one."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from index.raptor.division import clusters_of
from index.raptor.grow import Before, Grower, Grown
from index.raptor.layer import Layer
from index.raptor.leaves import Leaves
from kb.settings import RaptorSettings
from tests.raptor_trees import ByFirst, chunk, count, leaves, topics

SETTINGS = RaptorSettings(cluster_tokens=1200, rebuild_if="")
_POOL = topics(4000, 12, seed=3)
_EDIT = st.tuples(st.sampled_from(["add", "edit", "delete"]), st.integers(0, 10_000))


class Corpus:
    """Chunks by name, each with a vector of its own, in two documents."""

    def __init__(self, size: int) -> None:
        self._made = 0
        self.names: list[int] = []
        for _ in range(size):
            self.add(0)

    def add(self, at: int) -> None:
        self.names.insert(at % (len(self.names) + 1), self._made)
        self._made += 1

    def edit(self, at: int) -> None:
        """Another text in its place, about what it was about or not."""
        if self.names:
            self.names[at % len(self.names)] = self._made
            self._made += 1

    def delete(self, at: int) -> None:
        if self.names:
            del self.names[at % len(self.names)]

    def leaves(self) -> Leaves:
        half = len(self.names) // 2
        chunks = [
            chunk(f"n{name}", "a.md" if row < half else "b.md", 50 * row)
            for row, name in enumerate(self.names)
        ]
        return leaves(chunks, _POOL[np.asarray(self.names, np.int64) % len(_POOL)])


def grown(held: Leaves, before: tuple[Grown, Leaves] | None, said: ByFirst) -> Grown:
    earlier = Before()
    if before is not None:
        was, keys = before[0].forest, before[1].keys
        now = {key: row for row, key in enumerate(held.keys)}
        rows = {then: now[key] for then, key in enumerate(keys) if key in now}
        earlier = Before(was, rows, {node.key: node for *_, node in was.each()})
    return Grower(held, SETTINGS, said, "by", said.embed, count, earlier).grow()


def check(found: Grown, held: Leaves) -> None:
    if len(held) < 2:
        assert not found.forest.trees
        return
    (tree,) = found.forest.trees
    members = np.arange(len(held))
    for layer, nodes in zip(tree.layers, tree.nodes, strict=True):
        assert layer.members.tolist() == members.tolist()  # every one is reached, nothing else is
        _check_layer(layer)
        assert sorted(nodes) == sorted(layer.clusters) == list(range(len(layer.clusters)))
        assert len(layer.clusters) < len(members)
        members = np.arange(len(layer.clusters))
    assert len(members) == 1 or len(tree.layers) == SETTINGS.max_levels
    ids = [node.id for *_, node in found.forest.each()]
    assert len(set(ids)) == len(ids)


def _check_layer(layer: Layer) -> None:
    assert sorted(set(clusters_of(layer.way))) == sorted(layer.clusters)
    homes = [row for cluster in layer.clusters.values() for row in cluster.rows[cluster.home]]
    assert sorted(homes) == layer.members.tolist()
    for cluster in layer.clusters.values():
        assert cluster.home.any()
        assert all(one < other for one, other in pairwise(cluster.rows.tolist()))


@settings(max_examples=12, deadline=None)
@given(
    size=st.integers(0, 60),
    runs=st.lists(st.lists(_EDIT, min_size=1, max_size=12), min_size=1, max_size=4),
)
def test_a_forest_stays_whole(size: int, runs: list[list[tuple[str, int]]]) -> None:
    corpus, said = Corpus(size), ByFirst()
    held = corpus.leaves()
    found = grown(held, None, said)
    check(found, held)
    for edits in runs:
        for kind, at in edits:
            getattr(corpus, kind)(at)
        later = corpus.leaves()
        found = grown(later, (found, held), said)
        held = later
        check(found, held)


def nearness(found: Grown, vectors: NDArray[np.float32]) -> float:
    """Mean cosine of leaves to the middle of their homes."""
    total = 0.0
    for cluster in found.forest.trees[0].layers[0].clusters.values():
        home = vectors[cluster.rows[cluster.home]]
        middle = home.mean(axis=0)
        total += float((home @ (middle / np.linalg.norm(middle))).sum())
    return total / len(vectors)


def test_after_200_edits_clusters_are_as_tight_as_fresh_ones() -> None:
    corpus, said = Corpus(400), ByFirst()
    held = corpus.leaves()
    found = grown(held, None, said)
    rng = np.random.default_rng(11)
    for _ in range(20):
        for kind in rng.choice(["add", "edit", "delete"], 10):
            getattr(corpus, kind)(int(rng.integers(10_000)))
        later = corpus.leaves()
        found, held = grown(later, (found, held), said), later
    check(found, held)
    fresh = grown(held, None, said)
    assert nearness(found, held.vectors) > nearness(fresh, held.vectors) - 0.02
    assert found.drift < 0.2
