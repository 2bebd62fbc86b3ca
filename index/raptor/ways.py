"""Divisions as plain arrays: ``axes.npy`` float32 (a, d), ``clouds.npy`` float32 (c, 2 + r).

Each division has a run of rows in both. Of axes the first is the mean, the others are directions. Of
clouds each is a component: weight, variance, and the mean, padded with zeros to the longest.
"""

from pathlib import Path

import msgspec
import numpy as np

from index.raptor.division import Branch, Division
from index.raptor.mixture import Mixture
from index.raptor.project import Axes, Vectors


class Step(msgspec.Struct, frozen=True):
    """A division without its numbers."""

    axes: int  # its first row in ``axes.npy``
    directions: int
    clouds: int  # its first row in ``clouds.npy``; -1: it has no mixture
    targets: tuple[int, ...]
    children: "tuple[int | Step, ...]"
    hard: bool


class Ways:
    """Collects divisions to be written."""

    def __init__(self) -> None:
        self._axes: list[Vectors] = []
        self._clouds: list[Vectors] = []
        self._axes_rows = 0
        self._clouds_rows = 0

    def add(self, branch: Branch) -> int | Step:
        """Take in a branch; returns what is to be kept of it in JSON."""
        if isinstance(branch, int):
            return branch
        axes, clouds = -1, -1
        if branch.mixture is not None:
            axes, clouds = self._axes_rows, self._clouds_rows
            self._axes += [branch.axes.mean[None], branch.axes.directions]
            self._axes_rows += 1 + len(branch.axes.directions)
            self._clouds.append(_table(branch.mixture))
            self._clouds_rows += len(branch.mixture)
        children = tuple(self.add(child) for child in branch.children)
        directions = len(branch.axes.directions)
        return Step(axes, directions, clouds, branch.targets, children, branch.hard)

    def save(self, folder: Path) -> None:
        """Write both arrays."""
        axes = np.concatenate(self._axes) if self._axes else np.empty((0, 0), np.float32)
        np.save(folder / "axes.npy", axes)
        width = max((table.shape[1] for table in self._clouds), default=2)
        clouds = np.zeros((self._clouds_rows, width), np.float32)
        at = 0
        for table in self._clouds:
            clouds[at : at + len(table), : table.shape[1]] = table
            at += len(table)
        np.save(folder / "clouds.npy", clouds)


def read_way(step: int | Step, axes: Vectors, clouds: Vectors) -> Branch:
    """The branch of which `Ways.add` returned `step`."""
    if isinstance(step, int):
        return step
    children = tuple(read_way(child, axes, clouds) for child in step.children)
    if step.clouds < 0:
        nowhere = Axes(np.zeros(axes.shape[1], np.float32), axes[:0])
        return Division(nowhere, None, step.targets, children, step.hard)
    first = step.axes + 1
    found = Axes(axes[step.axes], axes[first : first + step.directions])
    table = clouds[step.clouds : step.clouds + len(step.targets)]
    mixture = Mixture(table[:, 0], table[:, 2 : 2 + step.directions], table[:, 1])
    return Division(found, mixture, step.targets, children, step.hard)


def _table(mixture: Mixture) -> Vectors:
    return np.column_stack([mixture.weights, mixture.variances, mixture.means])
