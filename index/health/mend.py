"""What ``doctor --fix`` does about what was found."""

from collections.abc import Callable, Iterable, Iterator

from index.files import indexed_files
from index.health.base import Finding, Remedy
from index.sync import index_documents, sync
from ingest.read_report import Progress
from kb import generations
from kb.durable import replace_file
from kb.errors import TeselaError
from kb.location import Location
from kb.models.embedder import Embedder
from kb.settings import Settings
from kb.store import Store
from kb.store.repair import problem, put_aside, restore_sources, salvage_sources


class Mender:
    """Carries out remedies, under the writer's lock; each says what it did, line by line."""

    def __init__(
        self,
        location: Location,
        settings: Settings,
        load_embedder: Callable[[], Embedder],
        progress: Progress,
    ) -> None:
        self._location = location
        self._settings = settings
        self._load_embedder = load_embedder
        self._progress = progress
        self._synced = False

    def mend(self, findings: Iterable[Finding]) -> Iterator[str]:
        """Do what the findings ask for, each thing once, in an order that makes sense."""
        found = list(findings)
        do = {
            Remedy.STORE: self._store,
            Remedy.CACHE: self._cache,
            Remedy.KEYS: self._keys,
            Remedy.CURRENT: self._current,
            Remedy.BUILD: self._build,
            Remedy.LEFTOVERS: self._leftovers,
        }
        for remedy in sorted({f.remedy for f in found if f.remedy is not None}):
            if remedy is Remedy.OLD:
                yield from self._old(f.number for f in found if f.remedy is Remedy.OLD)
            else:
                yield from do[remedy]()

    def _store(self) -> Iterator[str]:
        sources = salvage_sources(self._location.store)
        aside = put_aside(self._location.store)
        yield f"put the damaged store aside as {aside.name}"
        with Store(self._location):
            pass
        restore_sources(self._location.store, sources)
        if not sources:
            yield "its sources could not be read: name them again with 'tesela sync PATH'"
            return
        with Store(self._location) as store:
            yield from self._sync(store)

    def _cache(self) -> Iterator[str]:
        for what, path in self._location.spare.items():
            if problem(path):
                yield f"put the damaged {what} aside as {put_aside(path).name}"

    def _keys(self) -> Iterator[str]:
        with Store(self._location) as store:
            yield f"{store.forget_dangling()} results will be made again"
            yield from self._sync(store)

    def _sync(self, store: Store) -> Iterator[str]:
        report = sync(
            self._location, store, self._settings, self._load_embedder(), self._progress
        ).build
        self._synced = report.published
        yield (
            f"read all sources again: {report.documents} documents, {report.embedded} chunks "
            f"embedded, generation {report.generation}"
        )

    def _current(self) -> Iterator[str]:
        if self._synced:
            return
        for number in reversed(generations.numbers(self._location)):
            folder = generations.folder_of(self._location, number)
            try:
                damaged = generations.damaged_files(folder, generations.read_manifest(folder))
            except TeselaError:
                continue
            if not damaged:
                replace_file(self._location.current, f"{folder.name}\n".encode("ascii"))
                yield f"CURRENT names generation {number} now; 'tesela sync' brings it up to date"
                return
        yield from self._build()

    def _old(self, numbers: Iterable[int]) -> Iterator[str]:
        for number in numbers:
            if generations.remove(self._location, number):
                yield f"removed the damaged generation {number}"

    def _build(self) -> Iterator[str]:
        if self._synced:
            return  # nothing damaged was taken over
        with Store(self._location) as store:
            if not indexed_files(store) and not any(row.parse_key for row in store.files()):
                yield "nothing was read that could be indexed: run 'tesela sync PATH'"
                return
            report = index_documents(
                self._location,
                store,
                self._settings,
                self._load_embedder(),
                self._progress,
                rebuild=True,
            )
        self._synced = True
        yield f"built generation {report.generation} anew, {report.embedded} chunks embedded"

    def _leftovers(self) -> Iterator[str]:
        if names := generations.sweep(self._location):
            yield f"removed {', '.join(names)}"
