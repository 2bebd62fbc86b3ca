"""A generation of other settings, beside a KB and out of its readers' sight.

It lies in ``cache/compare`` under a key of all that it is made from, and may be deleted at any time.
The KB's own settings, store and generations are not touched; embeddings and an LLM's answers are
taken from the KB's caches and added to them.
"""

import contextlib
import shutil
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from index import plan
from index.build import BuildReport, all_keys
from index.builder import token_embedder
from index.files import read_files
from index.sync import index_documents, up_to_date
from ingest.pipeline import index_keys
from ingest.read_report import Progress
from ingest.sidecar import is_sidecar
from kb import generations
from kb.digest import digest
from kb.errors import UsageError
from kb.location import Location
from kb.lock import writer_lock
from kb.models.embedder import Embedder
from kb.settings import Settings
from kb.store import Store
from kb.store.sqlite import connect, told_plainly

_KEPT = 6  # variants of earlier runs that stay


@dataclass(frozen=True, slots=True)
class Beside(Location):
    """Where a variant lies; what it may share with its KB is the KB's."""

    of: Location

    @property
    def home(self) -> Path:
        """The folder that holds the KB."""
        return self.of.home

    @property
    def vector_cache(self) -> Path:
        """The KB's."""
        return self.of.vector_cache

    @property
    def owns_caches(self) -> bool:
        """No: a variant, of a sample perhaps, knows little of what the KB needs."""
        return False

    @property
    def llm_cache(self) -> Path:
        """The KB's."""
        return self.of.llm_cache

    @property
    def ledger(self) -> Path:
        """The KB's."""
        return self.of.ledger

    @property
    def prices(self) -> Path:
        """The KB's."""
        return self.of.prices


@dataclass(frozen=True, slots=True)
class Variant:
    """Where a generation of some settings is, or will be."""

    location: Location  # the KB's own, where its current generation is what is asked for
    ready: bool


@dataclass(frozen=True, slots=True)
class Built:
    """What it took."""

    report: BuildReport
    seconds: float


def folder_of(location: Location) -> Path:
    """The folder of all variants of a KB."""
    return location.folder / "cache" / "compare"


def find(
    location: Location,
    settings: Settings,
    embedder: Embedder,
    only: Collection[str] | None = None,
) -> Variant:
    """Where the generation is that these settings give for the documents that were read last.

    Loads no model and writes nothing. With `only`, it is to hold no other documents than these paths.

    Raises:
        UsageError: nothing was ever read.
    """
    with Store.looking(location) as store:
        current = generations.current_folder(location)
        is_whole = only is None and generations.current_number(location) is not None
        if current is not None and is_whole:
            manifest = generations.read_manifest(current)
            if up_to_date(store, settings, embedder, manifest):
                return Variant(location, ready=True)
        key = _key(store, settings, embedder, only)
    beside = Beside(folder_of(location) / key, location)
    return Variant(beside, generations.current_number(beside) is not None)


def build(
    location: Location,
    variants: Iterable[tuple[Variant, Settings, Callable[[], Embedder]]],
    progress: Callable[[], AbstractContextManager[Progress]],
    wait_seconds: float = 0.0,
    only: Collection[str] | None = None,
) -> list[Built]:
    """Build variants that are not ready, under the KB's writer lock.

    Args:
        location: of the KB.
        variants: each with its settings and its embedder.
        progress: told of what is done.
        wait_seconds: how long to wait for another writer.
        only: the documents that `find` was given.

    Raises:
        Locked: another writer holds the lock.
    """
    made = []
    wanted = list(variants)
    with writer_lock(location.lock, wait_seconds):
        _make_room(location, {variant.location.folder for variant, _, _ in wanted})
        for variant, settings, embedder in wanted:
            began = time.monotonic()
            with _store(location, variant.location, only) as store, progress() as advance:
                report = index_documents(
                    variant.location, store, settings, embedder(), advance, rebuild=True
                )
                stopped = report.contexts.stopped or report.derived.stopped
                if stopped is not None:  # half of its contexts are no variant
                    raise stopped
            made.append(Built(report, time.monotonic() - began))
    return made


def spare(location: Location) -> list[Path]:
    """The variants that are there, the last one that was built at the end."""
    folder = folder_of(location)
    if not folder.is_dir():
        return []
    return sorted(folder.iterdir(), key=lambda path: (path.stat().st_mtime_ns, path.name))


def remove(location: Location, path: Path) -> bool:
    """Remove a variant, under the KB's writer lock; False where a reader has it open."""
    beside = Beside(path, location)
    if not all(generations.remove(beside, number) for number in generations.numbers(beside)):
        return False
    shutil.rmtree(path, ignore_errors=True)
    return True


def _key(store: Store, settings: Settings, embedder: Embedder, only: Collection[str] | None) -> str:
    """Of all that the generation is made from: the documents, and the settings of each component."""
    keys = index_keys(settings, embedder)
    files = [
        replace(file, context_key=keys.situated(keys.chunked(file.parse_key)))
        for file in read_files(store)
        if only is None or file.path in only
    ]
    if not files:
        raise UsageError("the knowledge base holds no documents yet: run 'tesela sync PATH'")
    tokens = token_embedder(settings, embedder) is not None
    leaves = plan.component_keys(files, settings, embedder.fingerprint, tokens)
    wanted = all_keys(leaves, store, settings, {})
    return digest("beside", *(part for item in sorted(wanted.items()) for part in item))


def _make_room(location: Location, wanted: set[Path]) -> None:
    there = spare(location)
    whole = [p for p in there if generations.current_number(Beside(p, location)) is not None]
    cut_off = [path for path in there if path not in whole]
    for path in (*cut_off, *whole[:-_KEPT]):
        if path not in wanted:
            remove(location, path)


@contextlib.contextmanager
def _store(location: Location, beside: Location, only: Collection[str] | None) -> Iterator[Store]:
    """A copy of the KB's store for the time of a build, without what is not wanted."""
    shutil.rmtree(beside.folder, ignore_errors=True)
    beside.folder.mkdir(parents=True)
    try:
        with (
            told_plainly(location.store),
            contextlib.closing(connect(location.store)) as source,
            contextlib.closing(sqlite3.connect(beside.store)) as target,
        ):
            source.backup(target)
        with Store(beside) as store:
            if only is not None:
                paths = (row.path for row in store.files() if not is_sidecar(row.path))
                store.remove_files([path for path in paths if path not in only])
            yield store
    except BaseException:
        shutil.rmtree(beside.folder, ignore_errors=True)
        raise
    for path in beside.folder.glob(f"{beside.store.name}*"):
        path.unlink()
