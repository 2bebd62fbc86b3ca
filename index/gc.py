"""Removes what nothing needs any more, and every byte of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from index import beside
from index.assemble import assemble
from index.derived.reader import DerivedReader, has_derived
from index.facts import bytes_under
from index.files import indexed_files
from index.reader import GenerationReader
from index.vector_cache import purge
from ingest.parse.ocr.cache import clear
from kb import generations, snapshots
from kb.location import Location
from kb.models.embedder import Embedder
from kb.models.llm.cache import purge as purge_answers
from kb.store import Store
from kb.store.repair import ASIDE


@dataclass(slots=True)
class GcReport:
    """What was removed, or would be."""

    removed: list[int] = field(default_factory=list)  # generations
    in_use: list[int] = field(default_factory=list)  # due, but a reader has them open
    kept: list[int] = field(default_factory=list)
    results: int = 0  # of stages, that no file points to
    leftovers: list[str] = field(default_factory=list)  # of interrupted runs and of repairs
    cached: int | None = None  # embeddings; None: the caches were left alone
    answers: int | None = None  # of LLMs; None: the caches were left alone
    ocr_pages: int | None = None  # kept readings of pages; None: as above
    compared: int | None = None  # variants that were built to compare; None likewise
    clean: bool = True  # False: a reader kept some deleted bytes from being overwritten
    freed_bytes: int = 0


def collect(
    location: Location, store: Store, keep: int, caches_of: Embedder | None, dry_run: bool
) -> GcReport:
    """Clean up, under the writer's lock.

    Args:
        location: of the KB.
        store: its store.
        keep: newest generations that stay, besides the current and the tagged.
        caches_of: the embedder of the settings; its view of the store, and the kept generations,
            say which embeddings stay. None: caches are left alone.
        dry_run: only say what would be done.
    """
    size = bytes_under(location.folder)
    report = GcReport()
    _generations(location, report, keep, dry_run)
    _leftovers(location, report, dry_run)
    report.results = store.uncollected() if dry_run else store.collect()
    if not dry_run:
        report.clean = store.compact()
    if caches_of is not None:
        wanted = _wanted(location, store, report.kept, caches_of)
        report.cached, clean = purge(location.vector_cache, wanted, dry_run)
        # which answers quote what was deleted cannot be told: they all go
        report.answers, clean_answers = purge_answers(location.llm_cache, dry_run)
        variants = beside.spare(location)
        gone = [path for path in variants if dry_run or beside.remove(location, path)]
        report.compared = len(gone)
        report.clean = report.clean and clean and clean_answers and gone == variants
        report.ocr_pages = clear(location.vector_cache.parent, dry_run)
    report.freed_bytes = max(size - bytes_under(location.folder), 0)
    return report


def _generations(location: Location, report: GcReport, keep: int, dry_run: bool) -> None:
    due = generations.spare(location, keep, snapshots.tags(location).values())
    report.removed = due if dry_run else [n for n in due if generations.remove(location, n)]
    report.in_use = [number for number in due if number not in report.removed]
    report.kept = [n for n in generations.numbers(location) if n not in report.removed]


def _leftovers(location: Location, report: GcReport, dry_run: bool) -> None:
    aside = aside_files(location)
    found = [*generations.leftovers(location), *aside]
    report.leftovers = [path.name for path in found]
    if dry_run:
        return
    generations.sweep(location)
    for path in aside:
        path.unlink(missing_ok=True)


def aside_files(location: Location) -> list[Path]:
    """Damaged files that a repair put aside."""
    folders = (location.folder, location.vector_cache.parent)
    return sorted(path for folder in folders for path in folder.glob(f"*{ASIDE}*"))


def _wanted(
    location: Location, store: Store, kept: list[int], embedder: Embedder
) -> Iterator[tuple[str, str]]:
    """(Fingerprint, text) of each embedding that is to stay."""
    for number in kept:
        reader = GenerationReader(generations.folder_of(location, number))
        with reader.blaming_damage():
            derived = DerivedReader(reader).chunks if has_derived(reader) else ()
            for chunk in chain(reader.chunks, derived):
                yield reader.manifest.fingerprint, chunk.embedded_text
    for chunk in assemble(store, indexed_files(store)):
        yield embedder.fingerprint, chunk.embedded_text
