"""Divides members into clusters: global, then local, and again where a cluster is too long."""

from dataclasses import dataclass, field

import numpy as np

from index.raptor.division import Arrivals, Branch, Division, send
from index.raptor.mixture import MOST, Mixture, best_mixture
from index.raptor.project import Axes, Rows, Vectors, find_axes, sample
from kb.settings import RaptorSettings

LOCAL = 2  # depth from which on a cluster is divided only because it is too long
_FEW = 2  # members at home that each cluster has, so that a level has half as many nodes at most
_OVERLAP = 1.5  # members of all children together, as a multiple of the parent's


@dataclass(slots=True)
class Fitter:
    """Divides the members of one level of one tree."""

    vectors: Vectors  # (n, d) of the level
    tokens: Rows  # (n,)
    settings: RaptorSettings
    unused: int = 0  # the first cluster number that is free
    clusters: dict[int, Arrivals] = field(default_factory=dict)  # those it has made

    def divide(self, arrivals: Arrivals, depth: int = 0) -> Branch:
        """Clusters of arrivals, which are kept in `clusters`, and the way to them.

        Args:
            arrivals: at least one at home.
            depth: 0: global; 1: local; `LOCAL`: only as far as the limit on tokens asks for.
        """
        homes = int(arrivals.home.sum())
        too_long = self.length(arrivals) > self.settings.cluster_tokens
        settled = depth >= LOCAL or homes <= self.settings.dimensions + 1
        if homes < 2 * _FEW or (settled and not too_long):
            return self._cluster(arrivals)
        found = self._by_mixture(arrivals, 2 if too_long else 1)
        if found is None and not too_long:
            return self._cluster(arrivals)
        division, passed = found or self._by_order(arrivals)
        children = tuple(self.divide(some, depth + 1) for some in passed)
        return Division(division.axes, division.mixture, division.targets, children, division.hard)

    def length(self, arrivals: Arrivals) -> int:
        """Tokens of the members."""
        return int(self.tokens[arrivals.rows].sum())

    def _cluster(self, arrivals: Arrivals) -> int:
        self.clusters[self.unused] = self._within_limit(arrivals)
        self.unused += 1
        return self.unused - 1

    def _within_limit(self, arrivals: Arrivals) -> Arrivals:
        """Without those guests, the least likely first, for whom there is no room."""
        order = np.lexsort((arrivals.rows, -arrivals.share, ~arrivals.home))
        room = np.cumsum(self.tokens[arrivals.rows[order]]) <= self.settings.cluster_tokens
        stays = np.zeros(len(arrivals), np.bool_)
        stays[order[room]] = True
        return arrivals.only(stays | arrivals.home)

    def _by_mixture(
        self, arrivals: Arrivals, fewest: int
    ) -> tuple[Division, list[Arrivals]] | None:
        """A division into two or more, each with members enough; None where there is none."""
        axes = find_axes(self.vectors, arrivals.rows, self.settings.dimensions)
        if not len(axes.directions):
            return None
        points = axes.place(self.vectors, sample(arrivals.rows))
        most = min(MOST, int(arrivals.home.sum()) // _FEW)
        mixture = best_mixture(points, fewest, most, self.settings.seed)
        targets = self._targets(axes, mixture, arrivals)
        size = fewest
        while fewest > 1 and max(targets) == 0 and size < most:
            # What stands apart is too little to be a cluster: a finer mixture also divides the rest.
            size = min(most, 2 * size)
            mixture = best_mixture(points, size, size, self.settings.seed)
            targets = self._targets(axes, mixture, arrivals)
        if max(targets) == 0:
            return None
        division = Division(axes, mixture, targets, tuple(range(max(targets) + 1)))
        passed = send(division, self.vectors, arrivals, self.settings.threshold)
        if sum(map(len, passed)) > _OVERLAP * len(arrivals):
            division = Division(axes, mixture, targets, division.children, hard=True)
            passed = send(division, self.vectors, arrivals, self.settings.threshold)
        return division, passed

    def _targets(self, axes: Axes, mixture: Mixture, arrivals: Arrivals) -> tuple[int, ...]:
        """A group for each component: one that is home to too few joins the nearest."""
        means = mixture.means.astype(np.float64)
        each = tuple(range(len(mixture)))
        division = Division(axes, mixture, each, each)
        likeliest = division.shares(self.vectors, arrivals.rows[arrivals.home]).argmax(axis=1)
        homes = np.bincount(likeliest, minlength=len(means))
        group = np.arange(len(means))
        while len(left := np.unique(group)) > 1:
            counts = np.array([homes[group == one].sum() for one in left])
            smallest = left[counts.argmin()]
            if counts.min() >= _FEW:
                break
            others = left[left != smallest]
            gaps = ((means[others] - means[smallest]) ** 2).sum(axis=1)
            group[group == smallest] = others[gaps.argmin()]
        return tuple(np.unique(group, return_inverse=True)[1].tolist())

    def _by_order(self, arrivals: Arrivals) -> tuple[Division, list[Arrivals]]:
        """Runs of members as they follow each other: for those that nothing tells apart."""
        homes = arrivals.only(arrivals.home)
        wanted = -(-self.length(homes) // self.settings.cluster_tokens)
        parts = np.array_split(np.arange(len(homes)), max(2, min(wanted, len(homes) // _FEW)))
        passed = [Arrivals(homes.rows[p], homes.share[p], homes.home[p]) for p in parts]
        axes = Axes(self.vectors[:0].sum(axis=0), self.vectors[:0])
        return Division(axes, None, (), ()), passed
