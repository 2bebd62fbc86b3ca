"""What is tried: one thing at a time, then what helped together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kb.registry import PARTS
from kb.settings import Settings
from query.tune.trial import Changes, changed

_SIZES = (128, 192, 256, 384, 480)


@dataclass(frozen=True, slots=True)
class Field:
    """Settings of which one is to be chosen; those in force are always one more."""

    name: str
    ways: Sequence[Changes]
    builds: bool  # another index has to be built
    cuts: bool = False  # chunks are others, and so are their ids


def fields(
    settings: Settings, package_is_there: Mapping[str, bool], max_tokens: int
) -> list[Field]:
    """Everything that is tried, the cheap first.

    Args:
        settings: in force; what equals them is left out.
        package_is_there: whether an engine can be used, by name.
        max_tokens: that the embedder reads of a chunk.
    """
    engines: list[Changes] = []
    if package_is_there.get("hnsw"):
        engines += [{"engine.name": "hnsw"}, {"engine.name": "hnsw", "engine.hnsw_ef_search": 60}]
    if package_is_there.get("faiss"):
        engines += [{"engine.name": "faiss", "engine.faiss_kind": "hnsw"}]
    wanted = [
        Field("fusion", [{"query.fusion": "rrf"}, *_weighted(0.5, 0.8)], builds=False),
        Field(
            "rerank",
            [
                {"query.rerank": "none"},
                *(
                    {"query.rerank": "maxsim", "query.rerank_depth": depth}
                    for depth in (20, 50, 100)
                ),
            ],
            builds=False,
        ),
        Field("context", [{"context.provider": "none"}, {"context.provider": "structural"}], True),
        Field(
            "size",
            [{"chunk.size": size} for size in _SIZES if size <= max_tokens],
            True,
            cuts=True,
        ),
        Field(
            "chunker",
            [
                {"chunk.strategy": "recursive", "chunk.overlap": 0},
                {"chunk.strategy": "recursive", "chunk.overlap": "15%"},
                {"chunk.strategy": "fixed", "chunk.overlap": "15%"},
                {"chunk.strategy": "semantic", "chunk.overlap": 0},
            ],
            True,
            cuts=True,
        ),
        Field("engine", engines, True),
    ]
    return [Field(one.name, list(_new(settings, one.ways)), one.builds, one.cuts) for one in wanted]


def _weighted(*alphas: float) -> Iterator[Changes]:
    return ({"query.fusion": "weighted", "query.alpha": alpha} for alpha in alphas)


def _new(settings: Settings, ways: Sequence[Changes]) -> Iterator[Changes]:
    for way in ways:
        minimal = {key: value for key, value in way.items() if _now(settings, key) != value}
        if minimal and changed(settings, minimal) != settings:
            yield minimal


def _now(settings: Settings, dotted: str) -> Any:
    section, _, key = dotted.partition(".")
    return getattr(getattr(settings, section), key)


def engines_there() -> dict[str, bool]:
    """Whether each engine's package is installed."""
    import importlib.util

    return {
        name: not part.needs or importlib.util.find_spec(part.needs) is not None
        for name, part in PARTS["engine"].items()
    }
