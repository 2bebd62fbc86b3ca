"""What happened to the files since the last run: pure, from what was found and what is known."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Literal

from ingest.scan import Skipped, closed_folders
from kb.records import SourceFile
from kb.store import FileRow, SourceRow

# A file changed twice within the clock's step keeps its time; one this fresh is hashed again next time.
CLOCK_STEP_NS = 2_000_000_000
Kind = Literal[
    "added",
    "edited",
    "renamed",  # same bytes, same folder, the old path is gone
    "moved",  # same bytes, another folder, the old path is gone
    "copied",  # the bytes of a document that is known
    "touched",  # same bytes, another time, size or inode
    "again",  # same bytes, to be parsed again since a parser or its settings changed
    "settled",  # nothing but what is noted about it
    "failed",
]


@dataclass(frozen=True, slots=True)
class Step:
    """One file about which something is to be done."""

    kind: Kind
    entry: SourceFile | Skipped
    before: FileRow | None = None  # what is known under this path
    donor: FileRow | None = None  # renamed, moved, copied: the document with these bytes
    sha256: str = ""  # "" where it did not have to be known
    reason: str = ""  # of a failure
    unread: bool = False  # a failure that says nothing about the bytes


@dataclass(slots=True)
class Plan:
    """What a run has to do about files, and what it has not."""

    now_ns: int  # when the first file was looked at
    steps: list[Step] = field(default_factory=list)
    deleted: list[FileRow] = field(default_factory=list)  # documents that leave
    forgotten: list[FileRow] = field(default_factory=list)  # files that had no document
    unchanged: int = 0
    failed_before: int = 0
    confirmed: list[FileRow] = field(default_factory=list)  # hashed again; noted if anything is
    new_sources: list[SourceRow] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # sources that are gone and may be

    @property
    def work(self) -> bool:
        """Whether there is anything to write down."""
        return bool(self.steps or self.deleted or self.forgotten or self.new_sources)

    @property
    def left(self) -> list[str]:
        """Paths that are to be forgotten."""
        taken = [
            step.donor.path
            for step in self.steps
            if step.donor is not None and step.kind in ("renamed", "moved")
        ]
        return [row.path for row in (*self.deleted, *self.forgotten)] + taken


@dataclass(frozen=True, slots=True)
class Judge:
    """The questions a plan asks, so that it needs no disk and no settings of its own."""

    hash: Callable[[SourceFile], str]  # hex SHA-256 of the bytes; raises OSError
    parse_holds: Callable[[FileRow], bool]  # would parsing it again end the same way?
    failure_holds: Callable[[FileRow], bool]  # would trying it again?
    verify: bool = False
    retry: bool = False


def make_plan(
    found: Sequence[SourceFile | Skipped],
    known: Mapping[str, FileRow],
    covers: Callable[[FileRow], bool],
    judge: Judge,
    now_ns: int,
) -> Plan:
    """Tell apart what happened.

    Args:
        found: what the scan met, each path once.
        known: the store's rows by path.
        covers: whether a known file that was not found is gone.
        judge: answers what rows and entries alone do not tell.
        now_ns: a time before the first hash is taken.
    """
    planner = _Planner(known, judge, Plan(now_ns))
    newcomers = [entry for entry in found if planner.settle_known(entry)]
    closed = closed_folders(found)
    met = {entry.path for entry in found}
    gone = [
        row
        for row in known.values()
        if row.path not in met and covers(row) and not _within(row.path, closed)
    ]
    planner.settle_new(newcomers, gone)
    planner.plan.steps.sort(key=lambda step: step.entry.path)
    return planner.plan


class _Planner:
    def __init__(self, known: Mapping[str, FileRow], judge: Judge, plan: Plan) -> None:
        self.plan = plan
        self._known = known
        self._judge = judge

    def settle_known(self, entry: SourceFile | Skipped) -> bool:
        """Decide about a path that is known or cannot be taken; False once it is decided."""
        before = self._known.get(entry.path)
        if isinstance(entry, Skipped):
            unread = entry.unread or entry.closed_folder
            self._fail(entry, before, entry.reason, unread=unread)
            return False
        if before is None:
            return True
        try:
            sha256 = self._content(entry, before)
        except OSError as error:
            self._fail(entry, before, error.strerror or str(error), unread=True)
        else:
            self._compare(entry, before, sha256)
        return False

    def _content(self, entry: SourceFile, before: FileRow) -> str:
        """The hash, from memory where the file cannot have changed; "" where it must have."""
        never_read = before.error and not before.failed_key
        if entry.size != before.size and not never_read:
            return ""
        settled = before.mtime_ns + CLOCK_STEP_NS <= before.checked_ns
        if _same(entry, before) and settled and not never_read and not self._judge.verify:
            return before.sha256
        sha256 = self._judge.hash(entry)
        if _same(entry, before) and sha256 == before.sha256:
            self.plan.confirmed.append(replace(before, checked_ns=self.plan.now_ns))
        return sha256

    def _compare(self, entry: SourceFile, before: FileRow, sha256: str) -> None:
        if sha256 != before.sha256 or not sha256:
            self._step("edited" if before.parse_key else "added", entry, before, sha256)
        elif before.error:
            self._compare_failed(entry, before, sha256)
        elif not self._judge.parse_holds(before):
            self._step("again", entry, before, sha256)
        elif not _same(entry, before):
            self._step("touched", entry, before, sha256)
        else:
            self.plan.unchanged += 1
            if entry.source != before.source:
                self._step("settled", entry, before, sha256)

    def _compare_failed(self, entry: SourceFile, before: FileRow, sha256: str) -> None:
        """The bytes that failed, or could not be read, are the same."""
        if before.parse_key and not before.failed_key and self._judge.parse_holds(before):
            self.plan.unchanged += 1  # it can be read once more, and is what it was
            self._step("settled", entry, before, sha256)
        elif self._judge.retry or not (before.failed_key and self._judge.failure_holds(before)):
            self._step("again" if before.parse_key else "added", entry, before, sha256)
        else:
            self.plan.failed_before += 1
            if not _same(entry, before) or entry.source != before.source:
                self._step("settled", entry, before, sha256)

    def settle_new(self, newcomers: list[SourceFile | Skipped], gone: list[FileRow]) -> None:
        """Decide about paths that are new, and about those that are gone."""
        sizes = {row.size for row in self._known.values() if row.parse_key}
        by_content: defaultdict[str, list[SourceFile]] = defaultdict(list)
        for entry in newcomers:
            if not isinstance(entry, SourceFile):
                continue
            if entry.size not in sizes:
                self._step("added", entry, None, "")
                continue
            try:
                by_content[self._judge.hash(entry)].append(entry)
            except OSError as error:
                self._fail(entry, None, error.strerror or str(error), unread=True)
        left = {row.path: row for row in gone}
        donors = _by_content(self._known.values(), by_content.keys())
        for sha256, entries in by_content.items():
            self._inherit(sha256, entries, donors.get(sha256, []), left)
        for row in left.values():
            (self.plan.deleted if row.parse_key else self.plan.forgotten).append(row)

    def _inherit(
        self,
        sha256: str,
        entries: list[SourceFile],
        donors: list[FileRow],
        left: dict[str, FileRow],
    ) -> None:
        """Match files of the same bytes with those that are gone; what is over was copied."""
        free = [row for row in donors if row.path in left]
        paired: set[str] = set()
        waiting = list(entries)
        for alike in (_folder, _name, _anything):
            for entry, row in _pairs(waiting, free, alike):
                kind: Kind = "renamed" if _folder(entry.path) == _folder(row.path) else "moved"
                self._step(kind, entry, None, sha256, row)
                del left[row.path]
                paired.add(entry.path)
            free = [row for row in free if row.path in left]
            waiting = [entry for entry in waiting if entry.path not in paired]
        for entry in waiting:
            if donors:
                self._step("copied", entry, None, sha256, donors[0])
            else:
                self._step("added", entry, None, sha256)

    def _step(
        self,
        kind: Kind,
        entry: SourceFile,
        before: FileRow | None,
        sha256: str,
        donor: FileRow | None = None,
    ) -> None:
        self.plan.steps.append(Step(kind, entry, before, donor, sha256))

    def _fail(
        self, entry: SourceFile | Skipped, before: FileRow | None, reason: str, *, unread: bool
    ) -> None:
        """A failure that was told stays told, unless it costs a document or is to be tried again."""
        told = before is not None and before.error == reason
        drops = before is not None and before.parse_key and not unread
        if told and not drops and not self._judge.retry:
            self.plan.failed_before += 1
        else:
            step = Step("failed", entry, before, reason=reason, unread=unread)
            self.plan.steps.append(step)


def _same(entry: SourceFile, before: FileRow) -> bool:
    return (entry.size, entry.mtime_ns, entry.inode) == (
        before.size,
        before.mtime_ns,
        before.inode,
    )


def _by_content(rows: Iterable[FileRow], wanted: Iterable[str]) -> dict[str, list[FileRow]]:
    found: dict[str, list[FileRow]] = {sha256: [] for sha256 in wanted}
    for row in rows:
        if row.sha256 in found and row.parse_key:
            found[row.sha256].append(row)
    return found


def _pairs(
    waiting: list[SourceFile], free: list[FileRow], alike: Callable[[str], str]
) -> Iterator[tuple[SourceFile, FileRow]]:
    """Pairs whose paths are alike, in order of path, each path at most once."""
    by_likeness: defaultdict[str, deque[FileRow]] = defaultdict(deque)
    for row in free:
        by_likeness[alike(row.path)].append(row)
    for entry in waiting:
        rows = by_likeness[alike(entry.path)]
        if rows:
            yield entry, rows.popleft()


def _folder(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _name(path: str) -> str:
    return PurePosixPath(path).name


def _anything(_path: str) -> str:
    return ""


def _within(path: str, folders: list[str]) -> bool:
    return any(folder == "." or path.startswith(folder.rstrip("/") + "/") for folder in folders)
