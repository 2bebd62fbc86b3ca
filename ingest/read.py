"""The parse stage: follow the sources' files and keep each one's document."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import msgspec

from ingest.batches import Filling
from ingest.describe.describer import Describer, describer_of
from ingest.describe.stage import Descriptions
from ingest.plan import Plan, Step
from ingest.prepare import prepare
from ingest.read_report import Progress, ReadReport
from ingest.rows import Rows
from ingest.survey import Request
from ingest.workers.pool import Pool, Read, Wanted
from kb.errors import ParseError, UsageError
from kb.location import Location, escape_path
from kb.records import Document, Reading, SourceFile
from kb.settings import ParseSettings, Settings
from kb.store import FileRow, Store

_document = msgspec.json.Decoder(Document).decode
Result = tuple[str, Iterator[object]]  # a document's key and its parts


def read(
    location: Location,
    store: Store,
    settings: Settings,
    progress: Progress,
    request: Request,
) -> ReadReport:
    """Parse what is new or changed and forget what is gone.

    Raises:
        UsageError: a path is not there.
        TeselaError: more would go than the request allows; nothing was done.
    """
    prepared = prepare(location, store, settings, request)
    prepared.insist()
    return carry_out(prepared.plan, store, settings, progress, retry=request.retry)


def carry_out(
    plan: Plan,
    store: Store,
    settings: Settings,
    progress: Progress,
    *,
    retry: bool = False,
    describer: Describer | None = None,
) -> ReadReport:
    """Do what a plan says, in batches that are each committed.

    What is new is written before what is gone is forgotten, so that a run that is cut short can
    only leave too much, which the next one clears.

    Args:
        plan: what is to be done.
        store: open, under the writer's lock.
        settings: of the KB.
        progress: told of what is done.
        retry: tell of what failed before.
        describer: of the settings; the report says where it had to stop.

    Raises:
        Unavailable: pictures are to be described, and there is no `describer`.
    """
    if describer is None:
        describer = describer_of(settings, None)
    report = ReadReport.of(plan)
    for source in plan.new_sources:
        store.put_source(source)
    rows = Rows(store, settings, report, plan.now_ns, retry)
    with Pool(settings.parse, store.folder, store.folder / "cache") as pool:
        reads = pool.read(rows.wanted(plan.steps))
        stage = _Stage(store, Descriptions(rows, report, describer), rows, reads, progress)
        steps = iter(plan.steps)
        while (first := next(steps, None)) is not None:
            batch = _Batch()
            store.put(
                "documents",
                stage.results(chain([first], steps), batch),
                batch.rows,
                batch.readings,
            )
    if plan.confirmed:
        written = {step.entry.path for step in plan.steps}
        store.put_files(row for row in plan.confirmed if row.path not in written)
    if plan.left:
        store.remove_files(plan.left)
    if describer is not None:
        report.ended, report.calls = describer.ended, describer.calls
    report.deleted.extend(sorted(row.path for row in plan.deleted))
    return report


def read_parts(file: Path, settings: ParseSettings) -> Iterator[Document]:
    """The document in one file, in the parts it would be kept in, without a store.

    No LLM is asked: pictures that it would describe have no description.

    Raises:
        UsageError: the file cannot be opened.
        ParseError: it cannot be read as a document.
    """
    try:
        status = file.stat()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from error
    entry = SourceFile(escape_path(file.name), str(file.absolute()), status.st_size, 0, 0)
    if settings.multimodal == "native":
        settings = msgspec.structs.replace(settings, multimodal="extract")
    with Pool(settings) as pool:
        read = next(pool.read([Wanted(entry)]))
        answer = read.answer
        if answer.cause == "unread":
            raise UsageError(f"{file}: {answer.error}")
        if answer.cause:
            raise ParseError(f"{file}: {answer.error}")
        yield from map(_document, read.parts())


@dataclass(slots=True)
class _Batch:
    rows: list[FileRow] = field(default_factory=list)
    readings: dict[str, Reading] = field(default_factory=dict)  # by the document's key


class _Stage:
    def __init__(
        self,
        store: Store,
        descriptions: Descriptions,
        rows: Rows,
        reads: Iterator[Read],
        progress: Progress,
    ) -> None:
        self._store = store
        self._descriptions = descriptions
        self._rows = rows
        self._reads = reads
        self._progress = progress

    def results(self, steps: Iterator[Step], batch: _Batch) -> Iterator[Result]:
        """Do a batch of `steps`: give the documents that are new, and note the rows in `batch`."""
        filling = Filling()
        for step in steps:
            if self._rows.needs_reading(step):
                read = next(self._reads)
                made = self._descriptions.made(step, read)
                row, reading = made.row, made.reading
                if reading is not None and not self._store.known("documents", [row.parse_key]):
                    yield row.parse_key, map(msgspec.Raw, made.parts)
                    batch.readings[row.parse_key] = reading
            else:
                row = self._rows.without_reading(step)
            batch.rows.append(row)
            self._progress("read", 1)
            filling.add(row.size)
            if filling.full:
                return
