"""The parse stage: follow the sources' files and keep each one's document."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingest.batches import batches, drained
from ingest.chunk.windows import windows
from ingest.keys import ReadKeys
from ingest.parse.base import Piecemeal
from ingest.parse.sniff import choose_parser
from ingest.plan import Plan, Step
from ingest.prepare import prepare
from ingest.sidecar import PARSER, is_sidecar
from ingest.survey import Request
from kb.digest import sha256_bytes
from kb.errors import ParseError, Unavailable, UsageError
from kb.location import Location, escape_path
from kb.records import Document, Element, SourceFile
from kb.registry import load
from kb.settings import ParseSettings, Settings
from kb.store import FileRow, Store

Parsed = dict[str, Iterator[Document]]  # the parts of a document, by key
Progress = Callable[[str, int], None]  # stage, units done since the last call


@dataclass(slots=True)
class ReadReport:
    """What one run of the parse stage did, path by path."""

    added: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)  # from, to
    moved: list[tuple[str, str]] = field(default_factory=list)
    copied: list[tuple[str, str]] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)  # same bytes, parsed by other rules
    unchanged: int = 0
    failed: dict[str, str] = field(default_factory=dict)  # new failures, with the reason
    failed_before: int = 0  # unchanged since they were last told
    warnings: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan) -> "ReadReport":
        """The start of a report: what needs no work."""
        return cls(unchanged=plan.unchanged, failed_before=plan.failed_before)

    def note(self, step: Step) -> None:
        """Count a step that went well."""
        path = step.entry.path
        if step.donor is not None:
            getattr(self, step.kind).append((step.donor.path, path))
        elif step.kind != "settled":  # which the plan has counted
            getattr(self, step.kind).append(path)


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
) -> ReadReport:
    """Do what a plan says, in batches that are each committed.

    What is new is written before what is gone is forgotten, so that a run that is cut short can
    only leave too much, which the next one clears.
    """
    report = ReadReport.of(plan)
    for source in plan.new_sources:
        store.put_source(source)
    reader = _Reader(store, settings.parse, report, plan.now_ns, retry)
    for batch in batches(plan.steps, _size):
        documents: Parsed = {}
        rows = [reader.row(step, documents) for step in batch]
        results: Iterator[tuple[str, Iterator[Document]]] = drained(documents)
        store.put("documents", results, rows)
        progress("read", len(batch))
    if plan.confirmed:
        written = {step.entry.path for step in plan.steps}
        store.put_files(row for row in plan.confirmed if row.path not in written)
    if plan.left:
        store.remove_files(plan.left)
    report.deleted.extend(sorted(row.path for row in plan.deleted))
    return report


def read_document(file: Path, settings: ParseSettings) -> Document:
    """The document in one file, without a store.

    Raises:
        UsageError: the file cannot be opened.
        ParseError: it cannot be read as a document.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from error
    return parse_bytes(data, parser_of(data, escape_path(file.name)), settings)


def parser_of(data: bytes, name: str) -> str:
    """The name of the parser that reads a file of these bytes and this name.

    Raises:
        ParseError: none does.
    """
    return choose_parser(name, data)


def parse_bytes(data: bytes, parser: str, settings: ParseSettings) -> Document:
    """The document, whose title never comes from the file's name.

    Raises:
        ParseError: it cannot be read as a document.
        Unavailable: what would read it is not installed.
    """
    document: Document = load("parser", parser)(settings).parse(data, "")
    return document


def begin(data: bytes, parser: str, settings: ParseSettings) -> tuple[Document, Iterator[Document]]:
    """A document, with or without its elements, and the parts that it is kept in, made one by one.

    Raises:
        ParseError: it cannot be read as a document.
        Unavailable: what would read it is not installed.
    """
    loaded = load("parser", parser)(settings)
    elements: Iterator[Element] | None = None
    if isinstance(loaded, Piecemeal):
        document, elements = loaded.begin(data, "")
    else:
        document = loaded.parse(data, "")
    return document, (window.document for window in windows(document, elements=elements))


class _Reader:
    def __init__(
        self,
        store: Store,
        settings: ParseSettings,
        report: ReadReport,
        now_ns: int,
        retry: bool,
    ) -> None:
        self._store = store
        self._settings = settings
        self._report = report
        self._now_ns = now_ns
        self._retry = retry
        self._keys = ReadKeys(settings)

    def row(self, step: Step, documents: Parsed) -> FileRow:
        """The row that is to stand for a step's file; a document that is new is put in `documents`."""
        entry = step.entry
        if step.kind == "failed" or not isinstance(entry, SourceFile):
            return self._unread(step, step.reason) if step.unread else self._dropped(step)
        if step.kind in ("touched", "settled") and step.before is not None:
            self._report.note(step)
            return self._settled(step, entry, step.before)
        fresh = FileRow(
            entry.path, entry.source, entry.size, entry.mtime_ns, entry.inode, self._now_ns
        )
        if step.donor is not None and self._inherits(entry, step.donor):
            self._report.note(step)
            return _with_keys(replace(fresh, sha256=step.sha256), step.donor)
        return self._read(step, entry, fresh, documents)

    def _settled(self, step: Step, entry: SourceFile, before: FileRow) -> FileRow:
        return replace(
            before,
            source=entry.source,
            size=entry.size,
            mtime_ns=entry.mtime_ns,
            inode=entry.inode,
            checked_ns=self._now_ns if step.sha256 else before.checked_ns,
            error=before.error if before.failed_key else "",
        )

    def _inherits(self, entry: SourceFile, donor: FileRow) -> bool:
        """Whether the donor's parse is this file's: the suffix, too, tells which parser reads it."""
        key = self._keys.parsed(donor.sha256, donor.parser)
        return donor.parse_key == key and _suffix(entry.path) == _suffix(donor.path)

    def _read(self, step: Step, entry: SourceFile, fresh: FileRow, documents: Parsed) -> FileRow:
        try:
            data = Path(entry.absolute).read_bytes()
        except OSError as error:
            return self._unread(step, error.strerror or str(error))
        row = replace(fresh, sha256=sha256_bytes([data]))
        try:
            return self._parsed(step, row, data, documents)
        except (ParseError, Unavailable) as error:
            failed_key = self._keys.failed(row.sha256, entry.path)
            failed = replace(row, error=str(error), failed_key=failed_key)
            before = step.before
            if before is not None and before.parse_key and before.sha256 == row.sha256:
                failed = _with_keys(failed, before)  # e.g. a parser that was uninstalled
            self._tell(failed, before)
            return failed

    def _parsed(self, step: Step, row: FileRow, data: bytes, documents: Parsed) -> FileRow:
        parser = parser_of(data, row.path)
        key = self._keys.parsed(row.sha256, parser)
        known = next((r for r in (step.before, step.donor) if r and r.parse_key == key), None)
        if known is None and key not in documents and not self._store.known("documents", [key]):
            document, documents[key] = begin(data, parser, self._settings)
            if document.warnings:
                self._report.warnings[row.path] = document.warnings
        self._report.note(step)
        row = replace(row, parser=parser, parse_key=key)
        return row if known is None else _with_keys(row, known)

    def _unread(self, step: Step, reason: str) -> FileRow:
        """A file whose bytes nobody saw keeps the document it has."""
        entry, before = step.entry, step.before
        if before is None:
            size, mtime, inode = (
                (entry.size, entry.mtime_ns, entry.inode)
                if isinstance(entry, SourceFile)
                else (0, 0, 0)
            )
            before = FileRow(entry.path, entry.source, size, mtime, inode)
        row = replace(before, source=entry.source, error=reason, failed_key="")
        self._tell(row, step.before)
        return row

    def _dropped(self, step: Step) -> FileRow:
        row = FileRow(step.entry.path, step.entry.source, 0, 0, 0, error=step.reason)
        self._tell(row, step.before)
        return row

    def _tell(self, row: FileRow, before: FileRow | None) -> None:
        told = before is not None and (before.error, before.sha256) == (row.error, row.sha256)
        if told and not self._retry:
            self._report.failed_before += 1
        else:
            self._report.failed[row.path] = row.error


def _with_keys(row: FileRow, known: FileRow) -> FileRow:
    return replace(
        row,
        parser=known.parser,
        parse_key=known.parse_key,
        chunk_key=known.chunk_key,
        context_key=known.context_key,
    )


def _suffix(path: str) -> str:
    return PARSER if is_sidecar(path) else Path(path).suffix.lower()


def _size(step: Step) -> int:
    return step.entry.size if isinstance(step.entry, SourceFile) else 0
