"""How the members of a level are told apart: a tree of mixtures that also places newcomers."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from index.raptor.mixture import Mixture
from index.raptor.project import Axes, Doubles, Rows, Vectors

_BLOCK = 4096

# Where a member ends: a cluster's number, or a further division
Branch: TypeAlias = "Division | int"


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Members that have come to a branch."""

    rows: Rows  # (m,), rising
    share: Doubles  # (m,): how likely each belongs here, 0 to 1
    home: NDArray[np.bool_]  # (m,): where it belongs most; each member has one home

    def __len__(self) -> int:
        return len(self.rows)

    def only(self, chosen: NDArray[np.bool_]) -> "Arrivals":
        """Those for which `chosen`, bool (m,), is true."""
        return Arrivals(self.rows[chosen], self.share[chosen], self.home[chosen])


def everyone(rows: Rows) -> Arrivals:
    """Members at the root of a division."""
    return Arrivals(rows, np.ones(len(rows)), np.ones(len(rows), np.bool_))


@dataclass(frozen=True, slots=True)
class Division:
    """One mixture and where each of its components leads."""

    axes: Axes
    mixture: Mixture | None  # None: no mixture tells its members apart
    targets: tuple[int, ...]  # index into `children`, one a component
    children: tuple[Branch, ...]
    hard: bool = False  # each member goes to one child only

    def shares(self, vectors: Vectors, rows: Rows) -> Doubles:
        """How likely the rows are of each child: float64 (len(rows), children), rows sum to 1."""
        assert self.mixture is not None
        found = np.zeros((len(rows), len(self.children)))
        for first in range(0, len(rows), _BLOCK):
            some = slice(first, first + _BLOCK)
            shares = self.mixture.share(self.axes.place(vectors, rows[some]))
            for component, target in enumerate(self.targets):
                found[some, target] += shares[:, component]
        return found


def send(
    division: Division, vectors: Vectors, arrivals: Arrivals, threshold: float
) -> list[Arrivals]:
    """Who goes on to each child.

    A member goes to each child whose share of it, times the share with which it came, is above
    `threshold`, and from its home always to the likeliest child, its new home.
    """
    shares = division.shares(vectors, arrivals.rows)
    likeliest = shares.argmax(axis=1)
    passed = []
    for child in range(len(division.children)):
        share = arrivals.share * shares[:, child]
        home = arrivals.home & (likeliest == child)
        goes = home if division.hard else home | (share > threshold)
        passed.append(Arrivals(arrivals.rows[goes], share[goes], home[goes]))
    return passed


def route(
    branch: Branch,
    vectors: Vectors,
    arrivals: Arrivals,
    threshold: float,
    full: Mapping[int, int],
) -> dict[int, Arrivals]:
    """The clusters that arrivals come to.

    Args:
        branch: where they stand.
        vectors: float32 (n, d).
        arrivals: rows of `vectors`.
        threshold: see `send`.
        full: how many members each cluster has; where nothing else tells clusters apart, newcomers
            go to the emptiest.
    """
    if not len(arrivals):
        return {}
    if isinstance(branch, int):
        return {branch: arrivals}
    if branch.mixture is None:
        emptiest = min(branch.children, key=lambda child: sum(full[c] for c in clusters_of(child)))
        return route(emptiest, vectors, arrivals, threshold, full)
    found: dict[int, Arrivals] = {}
    for child, passed in zip(
        branch.children, send(branch, vectors, arrivals, threshold), strict=True
    ):
        for cluster, members in route(child, vectors, passed, threshold, full).items():
            found[cluster] = joined(found[cluster], members) if cluster in found else members
    return found


def joined(one: Arrivals, other: Arrivals) -> Arrivals:
    """Both, each row once."""
    rows = np.concatenate([one.rows, other.rows])
    share = np.concatenate([one.share, other.share])
    home = np.concatenate([one.home, other.home])
    unique, where = np.unique(rows, return_inverse=True)
    most, homes = np.zeros(len(unique)), np.zeros(len(unique), np.bool_)
    np.maximum.at(most, where, share)
    np.logical_or.at(homes, where, home)
    return Arrivals(unique, most, homes)


def clusters_of(branch: Branch) -> list[int]:
    """The clusters below a branch, from first to last."""
    if isinstance(branch, int):
        return [branch]
    return [cluster for child in branch.children for cluster in clusters_of(child)]


def prune(branch: Branch, live: Collection[int]) -> "Branch | None":
    """The branch without clusters that are not `live`; None where none is left."""
    if isinstance(branch, int):
        return branch if branch in live else None
    children = [prune(child, live) for child in branch.children]
    kept = [index for index, child in enumerate(children) if child is not None]
    left = tuple(child for child in children if child is not None)
    if len(left) <= 1:
        return left[0] if left else None
    if branch.mixture is None or len(left) == len(children):
        return replace(branch, children=left)
    components = [n for n, target in enumerate(branch.targets) if target in kept]
    targets = tuple(kept.index(branch.targets[n]) for n in components)
    return replace(branch, mixture=branch.mixture.only(components), targets=targets, children=left)


def exchanged(branch: Branch, change: Callable[[int], Branch]) -> Branch:
    """The branch with each cluster replaced by what `change` makes of it."""
    if isinstance(branch, int):
        return change(branch)
    return replace(branch, children=tuple(exchanged(child, change) for child in branch.children))
