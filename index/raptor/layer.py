"""One level of a tree: clusters of what lies below, divided anew or brought up to date."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from index.raptor.division import (
    Arrivals,
    Branch,
    everyone,
    exchanged,
    joined,
    prune,
    route,
)
from index.raptor.drift import astray
from index.raptor.fit import LOCAL, Fitter
from index.raptor.project import Rows, Vectors
from kb.settings import RaptorSettings

_SLACK = 1.25  # times the limit on tokens: only then a cluster that grew is divided


@dataclass(slots=True)
class Layer:
    """Clusters by number.

    Members are rows of the level below: leaf rows on the first level, numbers of clusters above it.
    """

    way: Branch
    clusters: dict[int, Arrivals]
    unused: int
    fitted: int  # members when it was last divided as a whole
    changed: int = 0  # members that came or went since
    astray: float = 0.0  # share of members nearer to another cluster, when it was divided

    @property
    def members(self) -> Rows:
        """All members, rising, each once."""
        rows = [cluster.rows for cluster in self.clusters.values()]
        return np.unique(np.concatenate([np.empty(0, np.int64), *rows]))


@dataclass(frozen=True, slots=True)
class Below:
    """What a layer is made of."""

    rows: Rows  # rising, at least two
    vectors: Vectors  # by row, (more than the highest row, d)
    tokens: Rows  # by row
    came: Rows = field(default_factory=lambda: np.empty(0, np.int64))  # of `rows`, since before
    gone: int = 0  # how many others went


def divided(below: Below, settings: RaptorSettings) -> Layer:
    """A layer made from scratch; it has half as many clusters as members at most."""
    fitter = Fitter(below.vectors, below.tokens, settings)
    way = fitter.divide(everyone(below.rows))
    layer = _without_twins(Layer(way, fitter.clusters, fitter.unused, len(below.rows)))
    layer.astray = astray(layer.clusters, below.vectors)
    return layer


def updated(layer: Layer, below: Below, settings: RaptorSettings) -> Layer | None:
    """The layer with newcomers in it, whose other members stay where they were.

    Args:
        layer: already without the members that went.
        below: what it is to hold.
        settings: of the trees.

    Returns:
        None where it is better made from scratch: more members changed than it had when it was last
        divided, or it would not have fewer clusters than members.
    """
    changed = layer.changed + max(len(below.came), below.gone)
    if changed > layer.fitted:
        return None
    clusters = dict(layer.clusters)
    full = {number: len(cluster) for number, cluster in clusters.items()}
    routed = route(layer.way, below.vectors, everyone(below.came), settings.threshold, full)
    for number, newcomers in routed.items():
        clusters[number] = joined(clusters[number], newcomers)
    clusters = {number: cluster for number, cluster in clusters.items() if cluster.home.any()}
    way = prune(layer.way, clusters)
    if way is None:
        return None
    result = replace(layer, way=way, clusters=clusters, changed=changed)
    result = _without_twins(_parted(result, below, settings, routed))
    return result if len(result.clusters) < len(below.rows) else None


def moved(layer: Layer, rows: Mapping[int, int]) -> Layer:
    """The layer whose members have other rows: old → new; members that have none went.

    Clusters may be left empty; the way to them stays, as somebody may come.
    """
    clusters = {}
    for number, cluster in layer.clusters.items():
        now = np.array([rows.get(row, -1) for row in cluster.rows.tolist()], np.int64)
        left = Arrivals(now, cluster.share, cluster.home).only(now >= 0)
        order = np.argsort(left.rows, kind="stable")
        clusters[number] = Arrivals(left.rows[order], left.share[order], left.home[order])
    return replace(layer, clusters=clusters)


def _parted(
    layer: Layer, below: Below, settings: RaptorSettings, grown: Mapping[int, Arrivals]
) -> Layer:
    """With clusters that grew too long divided; the largest part keeps the number."""
    fitter = Fitter(below.vectors, below.tokens, settings, layer.unused)
    clusters, way = dict(layer.clusters), layer.way
    for number in sorted(grown.keys() & clusters.keys()):
        if fitter.length(clusters[number]) <= _SLACK * settings.cluster_tokens:
            continue
        branch = fitter.divide(clusters[number], LOCAL)
        parts = {part: fitter.clusters[part] for part in sorted(fitter.clusters)}
        fitter.clusters = {}
        largest = max(parts, key=lambda part: (len(parts[part]), -part))
        names = {part: number if part == largest else part for part in parts}
        clusters |= {names[part]: members for part, members in parts.items()}
        way = _put(way, number, exchanged(branch, names.__getitem__))
    return replace(layer, way=way, clusters=clusters, unused=fitter.unused)


def _put(way: Branch, number: int, branch: Branch) -> Branch:
    return exchanged(way, lambda one: branch if one == number else one)


def _without_twins(layer: Layer) -> Layer:
    """Clusters of the very same members become one: the first."""
    first: dict[bytes, int] = {}
    twins: dict[int, int] = {}
    clusters: dict[int, Arrivals] = {}
    for number, cluster in sorted(layer.clusters.items()):
        kept = first.setdefault(cluster.rows.tobytes(), number)
        if kept == number:
            clusters[number] = cluster
        else:
            twins[number] = kept
            clusters[kept] = joined(clusters[kept], cluster)
    layer.clusters = clusters
    if twins:
        layer.way = exchanged(layer.way, lambda one: twins.get(one, one))
    return layer


def renumbered(layer: Layer, numbers: Mapping[int, int]) -> Layer:
    """The layer whose clusters have other numbers: old → new, all of them."""
    return replace(
        layer,
        way=exchanged(layer.way, numbers.__getitem__),
        clusters={numbers[old]: cluster for old, cluster in layer.clusters.items()},
        unused=len(numbers),
    )
