"""What building trees would take, found out in memory: nothing is embedded, no LLM is asked.

The first level is exact. What is above it is divided by the means of members' vectors, as the summaries
that would be embedded are not there yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from index.chunk_table import ChunkTable
from index.derived.base import Making
from index.raptor.derivation import grow
from index.raptor.leaves import look_over
from index.raptor.members import Member, Summarizer, Summary
from index.raptor.outline import COMPONENT
from index.raptor.project import Vectors
from index.raptor.summarize.base import opened
from index.reader import GenerationReader
from ingest.contextualize.wish import Wish
from kb.location import Location
from kb.models.embedder import Embedder
from kb.models.llm.plan import Plan
from kb.settings import Settings
from kb.store import Store


@dataclass(slots=True)
class Foreseen:
    """Summaries by level from 1: all that there would be, and those that are not there yet."""

    levels: list[int] = field(default_factory=list)
    new: list[int] = field(default_factory=list)
    llm: Plan = field(default_factory=Plan)


def foresee(
    location: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    reader: GenerationReader,
    *,
    retry: bool = False,
) -> Foreseen:
    """What trees with `settings` over the chunks of a generation would take."""
    found = Foreseen()
    before = reader.folder / COMPONENT if COMPONENT in reader.manifest.components else None
    making = _making(location, store, settings, embedder, reader, before, retry)
    leaves = look_over(
        reader.chunks, reader.chunks.__getitem__, reader.vectors, settings.raptor.scope
    )
    with opened(making, settings.raptor.summarizer, found.llm) as (summarizer, _):
        imagined = _Imagined(summarizer)
        grown, _ = grow(making, leaves, imagined, imagined.embed)
    found.new = grown.summarised
    counts = [[len(layer.clusters) for layer in tree.layers] for tree in grown.forest.trees]
    depth = max(map(len, counts), default=0)
    found.levels = [
        sum(tree[level] for tree in counts if level < len(tree)) for level in range(depth)
    ]
    return found


class _Imagined:
    """A summariser whose summaries lie where their members do."""

    def __init__(self, summarizer: Summarizer) -> None:
        self.name = summarizer.name
        self.version = summarizer.version
        self._summarizer = summarizer
        self._vectors: dict[str, Vectors] = {}

    def summarize(self, clusters: Sequence[Sequence[Member]]) -> list[Summary]:
        """See `index.raptor.members.Summarizer`."""
        summaries = self._summarizer.summarize(clusters)
        for summary, cluster in zip(summaries, clusters, strict=True):
            mean = np.mean([member.vector for member in cluster], axis=0, dtype=np.float64)
            length = float(np.linalg.norm(mean)) or 1.0
            self._vectors[summary.text] = np.asarray(mean / length, np.float32)
        return summaries

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vectors[text] for text in texts])


def _making(
    location: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    reader: GenerationReader,
    before: Path | None,
    retry: bool,
) -> Making:
    def nothing(texts: Sequence[str]) -> Vectors:
        return np.empty((len(texts), embedder.dimension), np.float32)

    return Making(
        location=location,
        store=store,
        settings=settings,
        embedder=embedder,
        progress=lambda _stage, _done: None,
        wish=Wish(retry=retry),
        table=reader.chunks,
        vectors=reader.vectors,
        before=before,
        table_before=ChunkTable(reader.folder / "chunks") if before else None,
        embed=nothing,
        embed_only=nothing,
    )
