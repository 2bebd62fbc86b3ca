"""The summaries of a generation: read what an earlier run left, grow, write."""

from pathlib import Path
from typing import ClassVar

from index.derived.base import Made, Making
from index.raptor.grow import Grower, Grown
from index.raptor.leaves import Leaves, look_over
from index.raptor.members import Summarizer
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
        model = settings.llm.model if settings.raptor.summarizer == "llm" else ""
        return str(VERSION), digest_settings(settings.raptor), model

    @staticmethod
    def make(making: Making, folder: Path) -> Made:
        """Bring the forest of the generation before up to date, or grow one."""
        settings = making.settings.raptor
        leaves = look_over(making.table, making.table.__getitem__, making.vectors, settings.scope)
        with opened(making, settings.summarizer) as (summarizer, asked):
            shape = shape_of(settings, summarizer, making)
            before = before_of(_state(making), leaves, shape)
            grown = Grower(
                leaves,
                settings,
                summarizer,
                making.embed,
                making.embedder.tokenizer.count,
                before,
                retry=making.wish.retry,
            ).grow()
        entry = ForestEntry(
            VERSION, shape, settings.scope, summarizer.name, len(leaves), grown.drift, ()
        )
        write_forest(folder, grown.forest, entry, leaves.keys, making.vectors.shape[1])
        return _made(grown, leaves, asked)


def shape_of(settings: RaptorSettings, summarizer: Summarizer, making: Making) -> str:
    """Digest of what structure depends on besides leaves: where it changes, a forest is grown anew."""
    told = {name: getattr(settings, name) for name in settings.__struct_fields__}
    parts = [f"{name}={value}" for name, value in told.items() if name not in _NOT_SHAPE]
    said_by = summarizer.name, summarizer.version
    return digest("forest", str(VERSION), making.embedder.fingerprint, *said_by, *parts)


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
        {chunk.path: node.stood_in for chunk, node in zip(chunks, nodes, strict=True) if node.stood_in},
        asked.stopped,
    )
