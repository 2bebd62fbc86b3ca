"""The parse stage: follow the sources' files and keep each one's document."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingest import keys
from ingest.batches import batches
from ingest.parse.sniff import choose_parser
from ingest.scan import Skipped, scan
from kb.digest import sha256_bytes
from kb.errors import ParseError, Unavailable, UsageError
from kb.location import Location, escape_path, lexically_absolute
from kb.records import Document, SourceFile
from kb.registry import load
from kb.settings import ParseSettings, Settings
from kb.store import FileRow, Store

_HEAD_BYTES = 65536
# A file changed twice within the clock's step keeps its time; one this fresh is hashed again next time.
_CLOCK_STEP_NS = 2_000_000_000
Progress = Callable[[str, int], None]  # stage, units done since the last call


@dataclass(slots=True)
class ReadReport:
    """What one run of the parse stage did, path by path."""

    added: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unchanged: int = 0
    failed: dict[str, str] = field(default_factory=dict)  # new failures, with the reason
    failed_before: int = 0  # unchanged since they were last told
    warnings: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read(
    location: Location,
    store: Store,
    settings: Settings,
    progress: Progress,
    paths: Iterable[Path] | None = None,
) -> ReadReport:
    """Parse what is new or changed in `paths` (all sources by default) and forget what is gone.

    A path that is not yet part of a source becomes one.

    Raises:
        UsageError: a path is not there.
    """
    reader = _Reader(location, store, settings, progress)
    for root, source in _roots(location, store, paths):
        reader.read_root(root, source)
    return reader.report


def _roots(
    location: Location, store: Store, paths: Iterable[Path] | None
) -> Iterator[tuple[Path, str]]:
    """Each folder to walk with the source it belongs to."""
    sources = [row.root for row in store.sources()]
    if paths is None:
        yield from ((location.absolute(root), root) for root in sources)
        return
    absolute = [lexically_absolute(path) for path in paths]
    for path in absolute:
        if not path.exists():
            raise UsageError(f"{path} does not exist")
    for path in absolute:
        owner = next((s for s in sources if path.is_relative_to(location.absolute(s))), None)
        if owner is None:
            owner = location.written(path)
            store.add_source(owner)
            sources.append(owner)
        yield path, owner


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
    name = escape_path(file.name)
    parser = choose_parser(name, data[:_HEAD_BYTES])
    document: Document = load("parser", parser)(settings).parse(data, name)
    return document


class _Reader:
    def __init__(
        self, location: Location, store: Store, settings: Settings, progress: Progress
    ) -> None:
        self.report = ReadReport()
        self._location = location
        self._store = store
        self._settings = settings
        self._progress = progress

    def read_root(self, root: Path, source: str) -> None:
        prefix = self._location.written(root)
        before = {r.path: r for r in self._store.files(source) if _under(r.path, prefix)}
        entries = list(scan(root, self._location, self._settings.scan))
        gone = sorted(before.keys() - {entry.path for entry in entries} - _unseen(entries, before))
        if gone:
            self._store.remove_files(gone)
        self.report.deleted.extend(path for path in gone if not before[path].error)
        for batch in batches(entries, _size):
            documents: dict[str, object] = {}
            rows = [self._row(entry, before.get(entry.path), source, documents) for entry in batch]
            changed = [row for row in rows if row != before.get(row.path)]
            if changed:
                self._store.put("documents", documents.items(), changed)
            self._progress("read", len(batch))

    def _row(
        self,
        entry: SourceFile | Skipped,
        before: FileRow | None,
        source: str,
        documents: dict[str, object],
    ) -> FileRow:
        if isinstance(entry, Skipped):
            return self._failed(FileRow(entry.path, source, 0, 0, 0), before, entry.reason)
        if before is not None and self._untouched(entry, before):
            if before.error:
                self.report.failed_before += 1
            else:
                self.report.unchanged += 1
            return before
        row = FileRow(entry.path, source, entry.size, entry.mtime_ns, entry.inode, time.time_ns())
        try:
            data = entry.absolute.read_bytes()
        except OSError as error:
            return self._failed(row, before, error.strerror or str(error))
        row = replace(row, sha256=sha256_bytes([data]))
        name = escape_path(entry.absolute.name)  # it may become a title
        try:
            return self._parsed(row, name, data, before, documents)
        except Unavailable as error:  # tried again each time: what it needs may be installed now
            return self._failed(row, before, str(error))
        except ParseError as error:
            key = keys.failed_key(row.sha256, name, self._settings.parse)
            return self._failed(replace(row, failed_key=key), before, str(error))

    def _parsed(
        self,
        row: FileRow,
        name: str,
        data: bytes,
        before: FileRow | None,
        documents: dict[str, object],
    ) -> FileRow:
        parser = choose_parser(name, data[:_HEAD_BYTES])
        key = keys.parse_key(row.sha256, name, parser, self._settings.parse)
        if before is not None and before.parse_key == key:
            self.report.unchanged += 1
            return replace(
                row,
                parser=parser,
                parse_key=key,
                chunk_key=before.chunk_key,
                context_key=before.context_key,
            )
        if key not in documents and not self._store.known("documents", [key]):
            document = load("parser", parser)(self._settings.parse).parse(data, name)
            documents[key] = document
            if document.warnings:
                self.report.warnings[row.path] = document.warnings
        known_before = before is not None and not before.error
        (self.report.edited if known_before else self.report.added).append(row.path)
        return replace(row, parser=parser, parse_key=key)

    def _untouched(self, entry: SourceFile, before: FileRow) -> bool:
        """Size, time and inode as they were, the time settled, and the parser's settings the same."""
        if (entry.size, entry.mtime_ns, entry.inode) != (
            before.size,
            before.mtime_ns,
            before.inode,
        ) or entry.mtime_ns + _CLOCK_STEP_NS > before.checked_ns:
            return False
        name = escape_path(entry.absolute.name)  # it may become a title
        if before.error:  # the cheap test first: it spares the parsers' imports
            return before.failed_key != "" and before.failed_key == keys.failed_key(
                before.sha256, name, self._settings.parse
            )
        key = keys.parse_key(before.sha256, name, before.parser, self._settings.parse)
        return before.parse_key == key

    def _failed(self, row: FileRow, before: FileRow | None, reason: str) -> FileRow:
        if before is not None and before.error == reason and before.sha256 == row.sha256:
            self.report.failed_before += 1
            if before == replace(row, error=reason, checked_ns=before.checked_ns):
                return before  # a run that finds nothing to do writes nothing
        else:
            self.report.failed[row.path] = reason
        return replace(row, error=reason)


def _unseen(entries: Iterable[SourceFile | Skipped], before: Iterable[str]) -> set[str]:
    """Files known before that lie in a folder that is there but cannot be read: not gone, unseen."""
    closed = [e.path for e in entries if isinstance(e, Skipped) and e.closed_folder]
    return {path for path in before if any(path != c and _under(path, c) for c in closed)}


def _under(path: str, prefix: str) -> bool:
    return prefix in (path, ".") or path.startswith(prefix + "/")


def _size(entry: SourceFile | Skipped) -> int:
    return entry.size if isinstance(entry, SourceFile) else 0
