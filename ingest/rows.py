"""What is noted about each file of a plan, read or not."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from ingest.keys import ReadKeys
from ingest.plan import Step
from ingest.read_report import ReadReport
from ingest.sidecar import PARSER, is_sidecar
from ingest.workers.pool import Wanted
from ingest.workers.wire import Answer
from kb.digest import sha256_file
from kb.records import SourceFile
from kb.settings import Settings
from kb.store import FileRow, Store


class Rows:
    """The rows of one run's files; what became of each is counted in its report."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        report: ReadReport,
        now_ns: int,
        retry: bool,
    ) -> None:
        self._store = store
        self._report = report
        self._now_ns = now_ns
        self._retry = retry
        self._keys = ReadKeys(settings.parse, settings.llm)

    def wanted(self, steps: Iterable[Step]) -> Iterator[Wanted]:
        """The files that `needs_reading`, in order."""
        for step in steps:
            if self.needs_reading(step) and isinstance(step.entry, SourceFile):
                yield Wanted(step.entry, spare(step, self._keys))

    def needs_reading(self, step: Step) -> bool:
        """Whether the file's bytes must be looked at."""
        entry = step.entry
        if step.kind in ("failed", "touched", "settled") or not isinstance(entry, SourceFile):
            return False
        return step.donor is None or not self._inherits(entry, step.donor)

    def without_reading(self, step: Step) -> FileRow:
        """The row of a file of any other step."""
        entry = step.entry
        if not isinstance(entry, SourceFile) or step.kind == "failed":
            return self._unread(step, step.reason) if step.unread else self._dropped(step)
        self._report.note(step)
        if step.donor is not None:
            return _with_keys(replace(self._fresh(entry), sha256=step.sha256), step.donor)
        return self._settled(step, entry)

    def of_read(self, step: Step, answer: Answer) -> FileRow:
        """The row of a file that was read, or that was tried to read."""
        entry = step.entry
        if not isinstance(entry, SourceFile) or answer.cause in ("unread", "passing"):
            return self._unread(step, answer.error)
        if answer.cause:
            return self._failed(step, entry, answer)
        row = replace(self._fresh(entry), sha256=answer.sha256, parser=answer.parser)
        row = replace(row, parse_key=self._keys.parsed(row.sha256, row.parser))
        known = next(
            (r for r in (step.before, step.donor) if r and r.parse_key == row.parse_key), None
        )
        if answer.reading is not None and answer.reading.warnings:
            self._report.warnings[row.path] = answer.reading.warnings
        self._report.note(step)
        if known is not None:
            return _with_keys(row, known)
        return replace(row, asked_key=step.before.asked_key if step.before else "")

    def key_of(self, answer: Answer) -> str:
        """The key of a document that was read, with all that belongs to it."""
        return self._keys.parsed(answer.sha256, answer.parser)

    def lacking(
        self, row: FileRow, step: Step, key: str, problem: str, *, passing: bool
    ) -> FileRow:
        """The row of a file whose document lacks descriptions, and is kept under `key`.

        Args:
            row: as it would be if nothing were missing.
            step: of the file.
            key: which is no key that `ReadKeys.parsed` gives.
            problem: why they are missing; "" where the run had to stop before it came to them.
            passing: whether the next run is to try again.
        """
        failed_key = self._keys.failed(row.sha256, row.path) if problem and not passing else ""
        row = replace(row, parse_key=key, error=problem, failed_key=failed_key)
        if problem:
            self._tell(row, step.before)
        known = next((r for r in (step.before, step.donor) if r and r.parse_key == key), None)
        return row if known is None else _with_keys(row, known)

    def _fresh(self, entry: SourceFile) -> FileRow:
        return FileRow(
            entry.path, entry.source, entry.size, entry.mtime_ns, entry.inode, self._now_ns
        )

    def _settled(self, step: Step, entry: SourceFile) -> FileRow:
        before = step.before or self._fresh(entry)
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

    def _failed(self, step: Step, entry: SourceFile, answer: Answer) -> FileRow:
        try:
            sha256 = answer.sha256 or sha256_file(entry.absolute)
        except OSError as error:
            return self._unread(step, error.strerror or str(error))
        failed_key = self._keys.failed(sha256, entry.path)
        fresh = self._fresh(entry)
        failed = replace(fresh, sha256=sha256, error=answer.error, failed_key=failed_key)
        before = step.before
        if before is not None and before.parse_key and before.sha256 == sha256:
            failed = _with_keys(failed, before)  # e.g. a parser that was uninstalled
        self._tell(failed, before)
        return failed

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


def spare(step: Step, keys: ReadKeys) -> tuple[tuple[str, str], ...]:
    """SHA-256 and parser of the documents that would be the file's, were its bytes the same."""
    return tuple(
        (row.sha256, row.parser)
        for row in (step.before, step.donor)
        if row and row.parse_key and row.parse_key == keys.parsed(row.sha256, row.parser)
    )


def _with_keys(row: FileRow, known: FileRow) -> FileRow:
    return replace(
        row,
        parser=known.parser,
        parse_key=known.parse_key,
        chunk_key=known.chunk_key,
        context_key=known.context_key,
        asked_key=known.asked_key,
    )


def _suffix(path: str) -> str:
    return PARSER if is_sidecar(path) else Path(path).suffix.lower()
