"""All stages, only what changed: read → chunk → context → build."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from index import plan
from index.build import BuildReport, all_keys, build_generation
from index.builder import token_embedder
from index.files import indexed_files, lone_sidecars
from index.reader import GenerationReader
from index.supersedes import unresolved
from ingest.contextualize.wish import CONTEXTS, NOTHING_MORE, Wish
from ingest.describe.describer import Describer
from ingest.pipeline import check_provider, chunk_documents, contextualize_chunks, index_keys
from ingest.prepare import Prepared, prepare
from ingest.read import carry_out
from ingest.read_report import Progress, ReadReport
from ingest.survey import Request
from kb import generations, pending
from kb.errors import TeselaError
from kb.generations import Manifest
from kb.location import Location
from kb.lock import unsigned_lock
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
    *,
    request: Request | None = None,
    prepared: Prepared | None = None,
    describer: Describer | None = None,
) -> SyncReport:
    """Follow `paths` (all sources by default) into a new generation.

    Args:
        location: of the KB.
        store: open, under the writer's lock.
        settings: of the KB.
        embedder: of the settings.
        progress: told of what is done.
        paths: short for a request of these paths, without a guard.
        request: what is asked for.
        prepared: of this request under this lock, where it was made already.
        describer: see `ingest.read.carry_out`.

    Raises:
        TeselaError: more would go than the request allows; nothing was done.
    """
    asked = request or Request(None if paths is None else tuple(paths))
    todo = prepared or prepare(location, store, settings, asked)
    todo.insist()
    check_provider(settings)
    report = carry_out(todo.plan, store, settings, progress, retry=asked.retry, describer=describer)
    wish = Wish(retry=asked.retry)
    return SyncReport(
        report, index_documents(location, store, settings, embedder, progress, wish=wish)
    )


@dataclass(frozen=True, slots=True)
class Means:
    """What a run works with; each is asked for when it is needed, and not before."""

    settings: Callable[[], Settings]  # as they are now that nobody else writes
    embedder: Callable[[], Embedder]
    progress: Callable[[], AbstractContextManager[Progress]]
    accepted: Callable[[], None] = lambda: None  # called once the plan may be carried out
    # who describes pictures, of the settings; raises where there is no one and should be
    describer: Callable[[], Describer | None] = lambda: None


def follow(
    location: Location, request: Request, means: Means, wait_seconds: float = 0.0
) -> SyncReport | None:
    """A whole run under the writer's lock; one that finds nothing to do writes nothing.

    Returns:
        What was done; None where nothing is followed.

    Raises:
        Locked: another writer holds the lock.
        TeselaError: more would go than the request allows; nothing was done.
    """
    with unsigned_lock(location.lock, wait_seconds) as sign:
        if location.pending.exists():  # a change of model that was cut off
            sign()
            pending.settle(location)
        settings = means.settings()
        describer = means.describer()
        if not Store.is_settled(location):
            sign()
            Store(location).close()
        with Store.unchanged(location) as store:
            if request.paths is None and _follows_nothing(store):
                return None
            check_provider(settings)
            prepared = prepare(location, store, settings, request)
            prepared.insist()
            means.accepted()
            embedder = means.embedder()
            idle = nothing_to_do(location, store, settings, embedder, prepared, retry=request.retry)
        if idle is not None:
            return idle
        sign()
        with Store(location) as store, means.progress() as progress:
            return sync(
                location,
                store,
                settings,
                embedder,
                progress,
                request=request,
                prepared=prepared,
                describer=describer,
            )


def _follows_nothing(store: Store) -> bool:
    """Nor did it until a run that was cut off before it published that."""
    return not (store.sources() or store.files() or store.uncollected())


def nothing_to_do(
    location: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    prepared: Prepared,
    *,
    retry: bool = False,
) -> SyncReport | None:
    """The report of a run that has nothing to do; None where there is something.

    Writes nothing and loads no model.
    """
    if prepared.plan.work or generations.leftovers(location) or store.uncollected():
        return None
    manifest = _current(location)
    if manifest is None or not up_to_date(store, settings, embedder, manifest, retry=retry):
        return None
    build = BuildReport(manifest.number, False, manifest.documents, manifest.chunks, 0)
    return SyncReport(ReadReport.of(prepared.plan), build)


def _current(location: Location) -> Manifest | None:
    """The manifest of the current generation, where its files are as they were written."""
    folder = generations.current_folder(location)
    if folder is None:
        return None
    try:
        manifest = generations.read_manifest(folder)
    except (TeselaError, OSError):
        return None
    return None if generations.touched_files(folder, manifest) else manifest


def up_to_date(
    store: Store,
    settings: Settings,
    embedder: Embedder,
    manifest: Manifest,
    *,
    retry: bool = False,
) -> bool:
    """Whether a generation is what these settings give for the documents that were read last."""
    keys = index_keys(settings, embedder)
    files = store.files()
    for row in files:
        if row.parse_key and (
            row.chunk_key != keys.chunked(row.parse_key) or not keys.is_situated(row, retry=retry)
        ):
            return False
    tokens = token_embedder(settings, embedder) is not None
    wanted = plan.component_keys(indexed_files(store), settings, embedder.fingerprint, tokens)
    before = manifest.components
    return all_keys(wanted, store, settings, before, Wish(retry=retry)) == before


def index_documents(
    location: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    *,
    rebuild: bool = False,
    wish: Wish = NOTHING_MORE,
) -> BuildReport:
    """Everything after reading: cut, situate, embed and publish what is out of date.

    With `rebuild` every component is made anew, whatever the current generation holds. Where an LLM
    could not be asked to the end, the report says why, and what it has not said is stood in for.
    """
    check_provider(settings)
    cut = chunk_documents(store, settings, embedder, progress)
    situated = contextualize_chunks(
        store, settings, embedder, progress, wish.of(CONTEXTS), location
    )
    report = build_generation(
        location, store, settings, embedder, progress, rebuild=rebuild, wish=wish
    )
    store.collect()
    notes = [
        f"{path}: {embedder.name} cannot read {share:.0%} of it: found by its words, not its meaning"
        for path, share in cut.unfamiliar.items()
    ]
    notes += [f"{path}: no document of that name stands beside it" for path in lone_sidecars(store)]
    if report.published:
        documents = GenerationReader.open(location).chunks.documents
        notes += [
            f"{path}: it supersedes {name}, which is no document here"
            for path, name in unresolved(documents)
        ]
    return replace(report, notes=(*report.notes, *situated.notes, *notes), contexts=situated)
