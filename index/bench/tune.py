"""The cheapest parameters of an engine that find enough of the nearest vectors."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from index.bench.ann import build, search
from index.bench.material import Material
from index.bench.subjects import KINDS, Kind, efforts, name_of, settings_for, with_effort
from index.bench.task import Point
from index.engines.auto import pick
from kb.errors import TeselaError
from kb.settings import EngineSettings

_BETWEEN = 6  # values tried between the last effort that falls short and the first that does not
_MOST_LINKS, _MOST_TREES, _MOST_CARE = 64, 400, 800


@dataclass(frozen=True, slots=True)
class Tuned:
    """What was found."""

    name: str  # of `index.bench.subjects.KINDS`
    settings: EngineSettings
    changes: dict[str, Any]  # of the settings, by key
    point: Point
    tried: int  # ways to search that were measured


def tune(material: Material, base: EngineSettings, target: float) -> Tuned:
    """The settings with the least effort that reach a recall, on the material's questions.

    Effort is what a search spends: it is first raised with the engine built as `base` says, since
    that costs no other build. Only where the most of it falls short is the engine built with more
    care.

    Args:
        material: vectors and questions.
        base: names the engine; auto is the one it would pick.
        target: recall@10 to reach, above 0 and at most 1.

    Raises:
        TeselaError: nothing that was tried reaches it; the message has the best that was.
        Unavailable: the engine's package is not installed.
    """
    name = _name(material, base)
    kind = KINDS[name]
    settings = settings_for(kind, base)
    best: tuple[EngineSettings, Point] | None = None
    tried = 0
    for built in _builds(kind, settings):
        with tempfile.TemporaryDirectory(dir=material.queries.parent) as folder:
            build(material, built, folder)
            found = _climb(material, kind, built, folder, target)
        tried += len(found)
        best = max([*found, *([best] if best else [])], key=lambda way: way[1].recall)
        if best[1].recall >= target:
            chosen, point = next(way for way in found if way[1].recall >= target)
            return Tuned(name, chosen, _changes(base, chosen), point, tried)
    raise TeselaError(
        f"recall {target} is not reached by engine {name}: of {tried} ways the best finds "
        f"{best[1].recall if best else 0:.4f}; name a lower one, or --engine exact"
    )


def _name(material: Material, base: EngineSettings) -> str:
    if base.name != "auto":
        return name_of(base)
    return pick(material.rows, material.dimension).replace(" ", "-")


def _builds(kind: Kind, settings: EngineSettings) -> Iterator[EngineSettings]:
    """As the settings say, then with more care, doubled each time."""
    yield settings
    if kind.effort == "annoy_search_k":
        while settings.annoy_trees < _MOST_TREES:
            settings = replace(settings, annoy_trees=min(2 * settings.annoy_trees, _MOST_TREES))
            yield settings
    elif kind.effort == "hnsw_ef_search":
        while settings.hnsw_m < _MOST_LINKS:
            settings = replace(
                settings,
                hnsw_m=min(2 * settings.hnsw_m, _MOST_LINKS),
                hnsw_ef_construction=max(
                    settings.hnsw_ef_construction,
                    min(2 * settings.hnsw_ef_construction, _MOST_CARE),
                ),
            )
            yield settings


def _climb(
    material: Material, kind: Kind, built: EngineSettings, folder: str, target: float
) -> list[tuple[EngineSettings, Point]]:
    """Ways to search with rising effort; the first that reaches the target is nearly the least."""
    rungs = efforts(kind, built, material.rows)
    coarse = _searched(material, kind, built, folder, rungs)
    first = next((i for i, (_, point) in enumerate(coarse) if point.recall >= target), None)
    if first is None or first == 0:
        return coarse
    low, high = rungs[first - 1], rungs[first]
    between = sorted({low + (high - low) * i // (_BETWEEN + 1) for i in range(1, _BETWEEN + 1)})
    fine = _searched(material, kind, built, folder, [x for x in between if low < x < high])
    return [*coarse[:first], *fine, *coarse[first:]]


def _searched(
    material: Material, kind: Kind, built: EngineSettings, folder: str, tried: list[int]
) -> list[tuple[EngineSettings, Point]]:
    ways = [with_effort(kind, built, effort) for effort in tried] if kind.effort else [built]
    return list(zip(ways, search(material, ways, folder).points, strict=True)) if ways else []


def _changes(base: EngineSettings, chosen: EngineSettings) -> dict[str, Any]:
    """What differs but the engine itself, which auto goes on choosing."""
    return {
        key: getattr(chosen, key)
        for key in EngineSettings.__struct_fields__
        if key not in ("name", "faiss_kind") and getattr(base, key) != getattr(chosen, key)
    }
