"""The index side composed: chunks → vectors, engine, BM25, token codes → a published generation."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from index import plan
from index.assemble import assemble
from index.builder import Builder, Deriving, token_embedder
from index.chunk_table import About
from index.derived.files import DERIVED
from index.derived.keys import derivation_keys, settled, with_derived
from index.derived.report import DerivedReport
from index.files import about_file, indexed_files
from ingest.contextualize.wish import NOTHING_MORE, ContextReport, Wish
from ingest.read_report import Progress
from kb import generations, history, snapshots
from kb.durable import full_disk_told
from kb.errors import TeselaError
from kb.location import Location
from kb.models.embedder import Embedder
from kb.records import Chunk
from kb.settings import Settings
from kb.store import Store


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did."""

    generation: int
    published: bool  # False: the current generation already was what was asked for
    documents: int
    chunks: int
    embedded: int
    reused: tuple[str, ...] = ()  # components linked from the generation before
    notes: tuple[str, ...] = field(default=())
    contexts: ContextReport = field(default_factory=ContextReport)
    derived: DerivedReport = field(default_factory=DerivedReport)


def build_generation(
    location: Location,
    store: Store,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    *,
    rebuild: bool = False,
    wish: Wish = NOTHING_MORE,
) -> BuildReport:
    """Build the generation of the store's present state and publish it, if it is not there already.

    With `rebuild` nothing is taken over from the current generation, which may be damaged. `wish` is
    what is asked of an LLM by what is derived from the chunks.
    """
    files = indexed_files(store)
    by_path = {file.path: file for file in files}
    tokens = token_embedder(settings, embedder) is not None
    keys = plan.component_keys(files, settings, embedder.fingerprint, tokens)
    return publish_chunks(
        location,
        settings,
        embedder,
        progress,
        keys,
        lambda: assemble(store, files),
        lambda path: about_file(store, by_path[path]),
        rebuild=rebuild,
        deriving=Deriving(store, wish),
    )


def all_keys(
    keys: Mapping[str, str],
    store: Store,
    settings: Settings,
    before: Mapping[str, str],
    wish: Wish = NOTHING_MORE,
) -> dict[str, str]:
    """The keys of all components, what is derived included.

    Args:
        keys: those of `index.plan.component_keys`.
        store: holds users' decisions.
        settings: of the KB.
        before: the components of the current generation, whose failed answers of an LLM may stay.
        wish: what is to be asked again: those may not.
    """
    derived = derivation_keys(settings, store, keys["vectors"])
    made = {
        name: settled(key, before.get(name), retry=wish.of(name).retry)
        for name, key in derived.items()
    }
    return with_derived(keys, made, settings)


def publish_chunks(
    location: Location,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    keys: dict[str, str],
    chunks: Callable[[], Iterator[Chunk]],
    about: Callable[[str], About] = lambda _path: About(),
    *,
    rebuild: bool = False,
    deriving: Deriving | None = None,
) -> BuildReport:
    """Build the generation that holds `chunks`, whose components have the keys `keys`, and publish it.

    Args:
        location: of the KB.
        settings: of the KB.
        embedder: of the settings.
        progress: told of what is done.
        keys: those of `index.plan.component_keys`.
        chunks: those of one document together.
        about: tells, by path, what is known of a document besides its chunks.
        rebuild: nothing is taken over from the current generation.
        deriving: what the settings' derivations are given; None: nothing is derived.
    """
    generations.sweep(location)
    current = None if rebuild else generations.current_folder(location)
    before = generations.read_manifest(current) if current is not None else None
    if deriving is not None:
        had = before.components if before is not None else {}
        wanted = all_keys(keys, deriving.store, settings, had, deriving.wish)
        names = tuple(name for name in wanted if name not in keys and name != DERIVED)
        keys, deriving = wanted, replace(deriving, names=names)
    builder = Builder(location, settings, embedder, progress, keys, deriving)
    if current is not None and before is not None:
        if before.components == keys and not generations.touched_files(current, before):
            return BuildReport(before.number, False, before.documents, before.chunks, 0)
        builder.take_over(current, before)
    said_before = builder.note
    with _undone(location), full_disk_told("the new generation", location.generations):
        builder.start()
        builder.build(chunks, about)
        if before is not None and not builder.mended and builder.keys == before.components:
            generations.sweep(location)  # an LLM was asked again and said nothing new
            return BuildReport(
                before.number, False, before.documents, before.chunks, 0, derived=builder.derived
            )
        number = max(generations.numbers(location), default=0) + 1
        manifest = builder.manifest(number)
        generations.publish(location, builder.folder, manifest)
    notes = [builder.note] if builder.note != said_before else []
    notes += builder.mended
    notes += builder.derived.notes
    notes += _after_publishing(location, number, settings.generations.keep)
    return BuildReport(
        number,
        True,
        manifest.documents,
        manifest.chunks,
        builder.all_embedded,
        tuple(sorted(builder.reused)),
        tuple(note for note in notes if note),
        derived=builder.derived,
    )


@contextlib.contextmanager
def _undone(location: Location) -> Iterator[None]:
    """What fails leaves no half generation behind: on a full disk it would be in the way."""
    try:
        yield
    except BaseException:
        generations.sweep(location)
        raise


def _after_publishing(location: Location, number: int, keep: int) -> list[str]:
    """Note the time and let old generations go; neither can undo what was published."""
    try:
        history.record(location, number)
        generations.prune(location, keep, snapshots.tags(location).values())
    except (OSError, TeselaError) as error:
        return [f"old generations were left alone: {error}"]
    return []
