"""The summaries of a generation: read what an earlier run left, grow, write."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from index.derived.base import Made, Making
from index.raptor.grow import Grower, Grown
from index.raptor.leaves import Leaves, look_over
from index.raptor.members import Summarizer
from index.raptor.project import Vectors
from index.raptor.state import VERSION, ForestEntry, State, read_entry, read_forest, write_forest
from index.raptor.summarize.base import Asked, opened
from index.raptor.update import before_of, chunks_of
from kb.digest import digest, digest_settings
from kb.settings import RaptorSettings, Settings
from kb.store import Store

_NOT_SHAPE = ("enabled", "rebuild_if")


class Raptor:
    """See `index.derived.base.Derivation`."""

    name: ClassVar[str] = "raptor"

    @staticmethod
    def enabled(settings: Settings) -> bool:
        """Whether generations are to have trees."""
        return settings.raptor.enabled

    @staticmethod
    def key(settings: Settings, store: Store) -> tuple[str, ...]:
        """Version, settings, and for an LLM's summaries which LLM writes them."""
        del store
        return str(VERSION), digest_settings(settings.raptor), _model(settings)

    @staticmethod
    def make(making: Making, folder: Path) -> Made:
        """Bring the forest of the generation before up to date, or grow one."""
        settings = making.settings.raptor
        leaves = look_over(making.table, making.table.__getitem__, making.vectors, settings.scope)
        with opened(making, settings.summarizer) as (summarizer, asked):
            grown, entry = grow(making, leaves, summarizer, making.embed)
        write_forest(folder, grown.forest, entry, leaves.keys, making.vectors.shape[1])
        return _made(grown, leaves, asked)


def grow(
    making: Making,
    leaves: Leaves,
    summarizer: Summarizer,
    embed: Callable[[Sequence[str]], Vectors],
) -> tuple[Grown, ForestEntry]:
    """The forest, and what is to be kept of it besides; `embed` gives the vectors of summaries."""
    settings = making.settings.raptor
    said_by = f"{summarizer.name} {summarizer.version} {_model(making.settings)}"
    fingerprint = making.embedder.fingerprint
    shape = _shape(settings, said_by)
    before = before_of(_state(making), leaves, fingerprint, shape)
    count = making.embedder.tokenizer.count
    retry = making.wish.retry
    grower = Grower(leaves, settings, summarizer, said_by, embed, count, before, retry=retry)
    grown = grower.grow()
    entry = ForestEntry(
        VERSION, fingerprint, shape, settings.scope, summarizer.name, len(leaves), grown.drift, ()
    )
    return grown, entry


def _shape(settings: RaptorSettings, said_by: str) -> str:
    """Of what structure depends on besides leaves and model: where it changes, all is grown anew."""
    told = {name: getattr(settings, name) for name in settings.__struct_fields__}
    parts = [f"{name}={value}" for name, value in told.items() if name not in _NOT_SHAPE]
    return digest("forest", str(VERSION), said_by, *parts)


def _model(settings: Settings) -> str:
    return settings.llm.model if settings.raptor.summarizer == "llm" else ""


def _state(making: Making) -> State | None:
    if making.before is None or read_entry(making.before) is None:
        return None
    return read_forest(making.before)


def _made(grown: Grown, leaves: Leaves, asked: Asked) -> Made:
    chunks, stands_on = chunks_of(grown.forest, leaves)
    nodes = [node for *_, node in grown.forest.each()]
    notes = list(asked.notes)
    if grown.rebuilt is not None:
        notes.append(f"the trees had drifted by {grown.rebuilt:.2f}: they were grown anew")
    return Made(
        chunks,
        stands_on,
        tuple(notes),
        asked.calls,
        sum(node.pending for node in nodes),
        {
            chunk.path: node.stood_in
            for chunk, node in zip(chunks, nodes, strict=True)
            if node.stood_in
        },
        asked.stopped,
    )
