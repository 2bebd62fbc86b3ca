"""What is measured side by side: each engine, each of faiss' structures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from index.engines.annoy import plan_search
from index.engines.faiss_ivf import plan_lists, plan_probes
from kb import registry
from kb.errors import UsageError
from kb.settings import EngineSettings

Updates = Literal["yes", "no", "marked"]  # marked: deleted rows stay in the file


@dataclass(frozen=True, slots=True)
class Kind:
    """An engine and what its library can do to an index that is there.

    Tesela itself builds each generation's engine anew, so that it does not depend on the order of
    events; what a library can do tells how it would serve elsewhere.
    """

    engine: str
    adds: Updates
    deletes: Updates
    effort: str = ""  # the setting that buys recall with time; "": there is none
    rungs: tuple[int, ...] = ()  # of a sweep over it
    faiss_kind: Literal["flat", "ivf", "hnsw"] = "flat"


_GRAPH = (10, 20, 40, 80, 120, 200, 300, 500, 800)
KINDS: dict[str, Kind] = {
    "exact": Kind("exact", "yes", "yes"),
    "hnsw": Kind("hnsw", "yes", "marked", "hnsw_ef_search", _GRAPH),
    "annoy": Kind(
        "annoy", "no", "no", "annoy_search_k", (1_000, 3_000, 10_000, 20_000, 40_000, 80_000)
    ),
    "faiss-flat": Kind("faiss", "yes", "yes"),
    "faiss-ivf": Kind("faiss", "yes", "yes", "faiss_nprobe", (64, 32, 16, 8, 4, 2, 1), "ivf"),
    "faiss-hnsw": Kind("faiss", "yes", "no", "hnsw_ef_search", _GRAPH, "hnsw"),
}


def chosen(names: Sequence[str]) -> list[str]:
    """The kinds of these names, all by default, in the table's order.

    Raises:
        UsageError: there is none of that name.
        Unavailable: one that was named is not installed.
    """
    for name in names:
        if name not in KINDS:
            raise UsageError(f"no engine {name!r} to measure: choose from {', '.join(KINDS)}")
        registry.choose("engine", KINDS[name].engine)
    return [name for name in KINDS if not names or name in names]


def settings_for(kind: Kind, base: EngineSettings) -> EngineSettings:
    """`base` with this engine in the place of its own."""
    return replace(base, name=kind.engine, faiss_kind=kind.faiss_kind)


def name_of(settings: EngineSettings) -> str:
    """The name here of the engine that settings choose."""
    return f"faiss-{settings.faiss_kind}" if settings.name == "faiss" else settings.name


def efforts(kind: Kind, settings: EngineSettings, n: int) -> list[int]:
    """Values of the effort to try, rising, that of the settings among them; [] where there is none."""
    own = own_effort(kind, settings, n)
    if own is None:
        return []
    if kind.faiss_kind == "ivf":
        lists, _ = plan_lists(settings.faiss_nlist, n)
        return sorted({*(-(-lists // share) for share in kind.rungs), own})
    return sorted({*kind.rungs, own})


def own_effort(kind: Kind, settings: EngineSettings, n: int) -> int | None:
    """The effort that the settings come to for n rows; None where there is none."""
    if not kind.effort:
        return None
    if kind.faiss_kind == "ivf":
        lists, _ = plan_lists(settings.faiss_nlist, n)
        return min(plan_probes(settings.faiss_nprobe, lists), lists)
    own: int = getattr(settings, kind.effort)
    return plan_search(own, n) if kind.effort == "annoy_search_k" else own


def with_effort(kind: Kind, settings: EngineSettings, effort: int | None) -> EngineSettings:
    """The settings with another effort."""
    return settings if effort is None else replace(settings, **{kind.effort: effort})
