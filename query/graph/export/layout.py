"""Places for the nodes of a picture: forces between them, begun from their communities. No chance in it.

ForceAtlas2 (Jacomy, Venturini, Heymann and Bastian, PLoS ONE 2014): nodes push each other away by the
product of their degrees over distance, edges pull by distance, weakly at hubs, all are drawn to the middle.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Table = NDArray[np.float32]
Ints = NDArray[np.int64]
_GOLDEN = np.pi * (3 - np.sqrt(5))  # the angle between neighbours of a sunflower
_ROUNDS = 60
_PUSH, _PULL, _MIDDLE = 1.0, 1.0, 0.15
_EVEN = 0.75  # of the distance from the middle is by rank: a dense middle is spread


def layout(count: int, ends: Ints, weights: Floats, groups: list[str]) -> Floats:
    """Coordinates (count, 2), on average about one node on each unit of area, around the origin.

    Args:
        count: nodes.
        ends: of the edges, (m, 2).
        weights: of the edges, above 0.
        groups: each node's community.
    """
    at = _begun(groups)
    if count < 2:
        return at
    mass = np.asarray(1.0 + np.bincount(ends.reshape(-1), minlength=count), np.float64)
    pull = np.asarray(np.log1p(weights) / max(float(np.log1p(weights).max(initial=0.0)), 1e-9))
    for step in range(_ROUNDS):
        force = _PUSH * _pushed(at, mass) - _MIDDLE * mass[:, None] * at
        force += _PULL * _pulled(at, ends, pull, mass) * mass[:, None]
        force /= mass[:, None]
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        most = 0.1 * np.sqrt(count) * (1 - step / _ROUNDS) ** 2 + 0.01
        at += force / length * np.minimum(length, most)
    return np.round(_evened(at), 3)


def _begun(groups: list[str]) -> Floats:
    """A sunflower of groups, the largest in the middle, of sunflowers."""
    sizes = Counter(groups)
    order = sorted(sizes, key=lambda group: (-sizes[group], group))
    centres: dict[str, Floats] = {}
    before = 0
    for number, group in enumerate(order):
        centres[group] = 1.2 * np.sqrt(before + sizes[group] / 2) * _turned(number * _GOLDEN)
        before += sizes[group]
    met: Counter[str] = Counter()
    at = np.zeros((len(groups), 2))
    for place, group in enumerate(groups):
        at[place] = centres[group] + 0.5 * np.sqrt(met[group] + 0.5) * _turned(met[group] * _GOLDEN)
        met[group] += 1
    return at


def _turned(angle: float) -> Floats:
    return np.array([np.cos(angle), np.sin(angle)])


def _pushed(at: Floats, mass: Floats) -> Floats:
    """Mass · Σ over the others of their mass · the way from them / distance²."""
    near = at.astype(np.float32)
    square = (near**2).sum(axis=1)
    table: Table = near @ near.T
    table *= -2
    table += square[:, None]
    table += square[None, :]
    np.maximum(table, 0.05, out=table)
    np.reciprocal(table, out=table)
    np.fill_diagonal(table, 0.0)
    weighed = np.column_stack([near * mass[:, None].astype(np.float32), mass.astype(np.float32)])
    sums = (table @ weighed).astype(np.float64)
    return np.asarray(mass[:, None] * (at * sums[:, 2:] - sums[:, :2]))


def _pulled(at: Floats, ends: Ints, pull: Floats, mass: Floats) -> Floats:
    """Σ over a node's edges of weight · the way to the other end, less at nodes of many edges."""
    force = np.zeros_like(at)
    gap = (at[ends[:, 1]] - at[ends[:, 0]]) * pull[:, None]
    for axis in (0, 1):
        force[:, axis] += np.bincount(ends[:, 0], gap[:, axis], len(at))
        force[:, axis] -= np.bincount(ends[:, 1], gap[:, axis], len(at))
    return force / mass[:, None]


def _evened(at: Floats) -> Floats:
    """The same directions, with the distance from the middle for the most part by its rank."""
    at = at - np.median(at, axis=0)
    far = np.linalg.norm(at, axis=1)
    rank = np.empty(len(at))
    rank[np.argsort(far, kind="stable")] = np.sqrt((np.arange(len(at)) + 0.5) / len(at))
    own = far / max(float(far.max()), 1e-9)
    wanted = 0.75 * np.sqrt(len(at)) * (_EVEN * rank + (1 - _EVEN) * own)
    return np.asarray(at * (wanted / np.maximum(far, 1e-9))[:, None])
