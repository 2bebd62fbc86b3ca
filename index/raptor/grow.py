"""Grows a forest, or brings one up to date, one level of all its trees at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from index.raptor.clusters import Cluster, Clusters, Said
from index.raptor.drift import astray, drift
from index.raptor.layer import Below, divided, moved, renumbered, updated
from index.raptor.leaves import Leaves
from index.raptor.members import Summarizer
from index.raptor.nodes import Node, new_node, node_key
from index.raptor.project import Rows, Vectors
from index.raptor.steady import one_thread
from index.raptor.tree import Forest, Tree, scopes
from kb.records import Chunk
from kb.settings import RaptorSettings

_AT_ONCE = 512  # clusters summarised together: a summariser holds what it read of their members
_Job: TypeAlias = tuple[
    dict[int, Node], int, str, Cluster
]  # where to, its number there, key, members


@dataclass(frozen=True, slots=True)
class Before:
    """What an earlier run left."""

    forest: Forest | None = None  # None: of other settings or another model
    rows: Mapping[int, int] = field(default_factory=dict)  # leaf row then → now, where unchanged
    nodes: Mapping[str, Node] = field(default_factory=dict)  # summaries by key


@dataclass(slots=True)
class Grown:
    """A forest and what was done for it."""

    forest: Forest
    drift: float  # 0 to 1
    summarised: list[int] = field(default_factory=list)  # new summaries, by level from 1
    rebuilt: float | None = None  # the drift for which it was made from scratch


class Grower:
    """Grows one forest."""

    def __init__(
        self,
        leaves: Leaves,
        settings: RaptorSettings,
        summarizer: Summarizer,
        said_by: str,
        embed: Callable[[Sequence[str]], Vectors],
        count: Callable[[str], int],
        before: Before,
        *,
        retry: bool = False,
    ) -> None:
        """Prepare.

        Args:
            leaves: of the generation in the making.
            settings: of the trees.
            summarizer: says what clusters say.
            said_by: its name, version and model: part of the key of what it said.
            embed: unit vectors of texts.
            count: tokens of a text.
            before: what is taken over where it still holds.
            retry: whether a summariser is asked again for what it failed to say.
        """
        self._leaves = leaves
        self._settings = settings
        self._summarizer = summarizer
        self._said_by = said_by
        self._embed = embed
        self._count = count
        self._before = before
        self._retry = retry
        self._row = {chunk: row for row, chunk in enumerate(leaves.ids)}

    def grow(self) -> Grown:
        """The forest; from equal input it is equal to the byte."""
        with one_thread():
            return self._grow()

    def _grow(self) -> Grown:
        old = {tree.scope: tree for tree in (self._before.forest or Forest([])).trees}
        stems = [_Stem(Tree(name), rows, old.get(name)) for name, rows in scopes(self._leaves)]
        for stem in stems:
            self._lay(stem, self._on_leaves(stem))
        grown = Grown(Forest([stem.tree for stem in stems]), self._drift(stems))
        if _exceeds(grown.drift, self._settings.rebuild_if):
            grown.rebuilt, grown.drift = grown.drift, 0.0
            for stem in stems:
                stem.old, stem.tree.layers = None, []
                self._lay(stem, self._on_leaves(stem))
        for _level in range(self._settings.max_levels):
            grown.summarised.append(self._summarise(stems))
            stems = [stem for stem in stems if len(stem.tree.layers[-1].clusters) > 1]
            if not stems or len(grown.summarised) == self._settings.max_levels:
                break
            for stem in stems:
                self._lay(stem, self._on_summaries(stem))
        for tree in grown.forest.trees:
            _renumber(tree)
        return grown

    def _lay(self, stem: "_Stem", below: Below) -> None:
        """Add a layer: the old one brought up to date, or one made from scratch."""
        level = len(stem.tree.layers)
        layer = None
        if stem.old is not None and level < len(stem.old.layers):
            rows = self._before.rows if level == 0 else {row: row for row in below.rows.tolist()}
            was = stem.old.layers[level]
            layer = moved(was, rows)
            kept = layer.members
            came = np.setdiff1d(below.rows, kept)
            below = replace(below, came=came, gone=len(was.members) - len(kept))
            layer = updated(layer, below, self._settings)
        if layer is None:
            layer = divided(below, self._settings)
            stem.old = None  # what was above stood on other clusters
        stem.tree.layers.append(layer)

    def _on_leaves(self, stem: "_Stem") -> Below:
        return Below(stem.rows, self._leaves.vectors, self._leaves.tokens)

    def _on_summaries(self, stem: "_Stem") -> Below:
        nodes, layer = stem.tree.nodes[-1], stem.tree.layers[-1]
        vectors = np.zeros((layer.unused, self._leaves.vectors.shape[1]), np.float32)
        tokens = np.zeros(layer.unused, np.int64)
        for number, node in nodes.items():
            vectors[number], tokens[number] = node.vector, node.tokens
        return Below(np.array(sorted(nodes), np.int64), vectors, tokens)

    def _drift(self, stems: Sequence["_Stem"]) -> float:
        parts = []
        for stem in stems:
            layer = stem.tree.layers[0]
            now = astray(layer.clusters, self._leaves.vectors) if layer.changed else layer.astray
            parts.append((len(stem.rows), now, layer.astray))
        return drift(parts)

    def _summarise(self, stems: Sequence["_Stem"]) -> int:
        """A node for each cluster of the topmost layers; returns how many had to be made."""
        jobs: list[_Job] = []
        for stem in stems:
            made: dict[int, Node] = {}
            stem.tree.nodes.append(made)
            for number, key, members in self._clusters(stem):
                known = self._before.nodes.get(key)
                if known is not None and not self._again(known):
                    made[number] = known
                else:
                    jobs.append((made, number, key, members))
        for first in range(0, len(jobs), _AT_ONCE):
            self._make(jobs[first : first + _AT_ONCE])
        return len(jobs)

    def _make(self, jobs: Sequence[_Job]) -> None:
        clusters = Clusters([members for *_, members in jobs], self._leaves, self._leaf)
        summaries = self._summarizer.summarize(clusters)
        vectors = self._embed([summary.text for summary in summaries])
        for (made, number, key, _), summary, vector in zip(jobs, summaries, vectors, strict=True):
            tokens = self._count(summary.text)
            made[number] = new_node(key, summary, vector, tokens, self._leaf)

    def _clusters(self, stem: "_Stem") -> Iterator[tuple[int, str, Cluster]]:
        """Number, key and members of each cluster of the topmost layer."""
        layer, below = stem.tree.layers[-1], stem.tree.nodes[-2] if stem.under else {}
        under: dict[int, Rows] = {}
        for number, cluster in sorted(layer.clusters.items()):
            rows = cluster.rows.tolist()
            members: Cluster = (
                [Said(below[row], stem.under[row]) for row in rows] if below else rows
            )
            ids = [below[row].id if below else self._leaves.keys[row] for row in rows]
            lower = [stem.under[row] for row in rows] if below else [cluster.rows]
            under[number] = np.unique(np.concatenate(lower))
            yield number, node_key(self._said_by, ids), members
        stem.under = under

    def _again(self, node: Node) -> bool:
        return node.pending or (self._retry and bool(node.stood_in))

    def _leaf(self, chunk: str) -> Chunk:
        return self._leaves.at(self._row[chunk])


@dataclass(slots=True)
class _Stem:
    """A tree in the making."""

    tree: Tree
    rows: Rows  # its leaves
    old: Tree | None  # what it was
    under: dict[int, Rows] = field(default_factory=dict)  # leaf rows by cluster of the top layer


def _exceeds(drift: float, rule: str) -> bool:
    """Whether a rule such as ``drift>0.2`` holds; an empty one never does."""
    return bool(rule) and drift > float(rule.partition(">")[2])


def _renumber(tree: Tree) -> None:
    """Number the clusters of each layer from 0 on, in the order they have."""
    rows: dict[int, int] = {}
    for level, layer in enumerate(tree.layers):
        numbers = {old: new for new, old in enumerate(sorted(layer.clusters))}
        tree.layers[level] = renumbered(moved(layer, rows) if level else layer, numbers)
        tree.nodes[level] = {numbers[old]: node for old, node in tree.nodes[level].items()}
        rows = numbers
