"""All stages, only what changed: read → chunk → context → build."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from index.build import BuildReport, build_generation
from ingest.pipeline import chunk_documents, contextualize_chunks
from ingest.read import Progress, ReadReport, read
from kb.location import Location
from kb.models.embedder import Embedder
from kb.settings import Settings
from kb.store import Store


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did."""

    read: ReadReport
    build: BuildReport


def sync(
    location: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    paths: Iterable[Path] | None = None,
) -> SyncReport:
    """Follow `paths` (all sources by default) into a new generation."""
    report = read(location, store, settings, progress, paths)
    return SyncReport(report, index_documents(location, store, settings, embedder, progress))


def index_documents(
    location: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    *,
    rebuild: bool = False,
) -> BuildReport:
    """Everything after reading: cut, situate, embed and publish what is out of date.

    With `rebuild` every component is made anew, whatever the current generation holds.
    """
    cut = chunk_documents(store, settings, embedder, progress)
    contextualize_chunks(store, settings, embedder, progress)
    report = build_generation(location, store, settings, embedder, progress, rebuild=rebuild)
    store.collect()
    notes = [
        f"{path}: {embedder.name} cannot read {share:.0%} of it: found by its words, not its meaning"
        for path, share in cut.unfamiliar.items()
    ]
    return replace(report, notes=(*report.notes, *notes))
