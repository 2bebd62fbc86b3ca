"""Which files a source holds. Nothing special is ever opened, loops are walked once."""

import os
import stat
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from ingest.ignore import IGNORE_FILES, IgnoreRules, SourceGlobs
from ingest.sidecar import candidates, is_sidecar, pair, subject
from kb.location import KB_FOLDER, Location, escape_path, lexically_absolute
from kb.records import SourceFile
from kb.settings import ScanSettings
from kb.store import SourceRow

_HIDDEN = (".", "~$")  # the latter: what Office keeps beside an open document


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that was met and could not be taken, and why."""

    path: str
    reason: str
    closed_folder: bool = False  # a folder that is there and whose files could not be listed
    # What the system refused, it may give another time: the bytes may be the same.
    unread: bool = False
    source: str = ""


def scan(
    root: Path,
    location: Location,
    settings: ScanSettings,
    source: SourceRow | None = None,
    start: Path | None = None,
    others: Collection[Path] = (),
) -> list[SourceFile | Skipped]:
    """Every regular file under `root` (or `root` itself), by path, each real file once.

    Hidden files and folders and links that lead out of `root` are left out unless `settings` asks
    for them; links that stay inside are left out since their targets are met anyway. So is what
    ignore files (see `ingest.ignore`) and the source's globs leave out. The KB's own folder never
    counts. FIFOs, sockets, devices and dangling links are reported and not opened.

    A sidecar is met wherever its document is: whatever names it, globs, ignore files, a `start` or
    a `root` that is a file, names the document. Links to sidecars are followed.

    Args:
        root: of the source; ignore files above it say nothing.
        location: of the KB.
        settings: of the KB.
        source: whose globs hold.
        start: a file or folder under `root`: only what lies there is looked at.
        others: roots of other sources, whose files are theirs.
    """
    row = source or SourceRow(location.written(root))
    if KB_FOLDER in lexically_absolute(start or root).parts:
        return [Skipped(location.written(start or root), "part of a knowledge base")]
    walk = _Walk(lexically_absolute(root), location, settings, row)
    walk.start = os.fspath(lexically_absolute(start or root))
    walk.beside = set(candidates(walk.start))
    walk.others = {os.fspath(lexically_absolute(other)) for other in others}
    walk.roots = [os.path.realpath(path) for path in (root, *others)]
    found = walk.run()
    if source is not None and source.include:
        found = _without_lone_sidecars(found)
    return sorted(found, key=lambda entry: entry.path.replace("/", "\0"))


@dataclass(frozen=True, slots=True)
class _Folder:
    absolute: str
    written: str  # with a slash at its end, "" where paths are relative to it
    relative: str  # from the source's root, with a slash at its end, "" for the root
    rules: IgnoreRules
    linked: bool  # reached through a link


class _Walk:
    def __init__(
        self, root: Path, location: Location, settings: ScanSettings, source: SourceRow
    ) -> None:
        self.start = ""
        self.beside: set[str] = set()  # where sidecars of `start` can stand
        self.others: set[str] = set()
        self.roots: list[str] = []  # of all sources, without links
        self._root = os.fspath(root)
        self._written = location.written(root)
        self._settings = settings
        self._source = source.root
        self._globs = SourceGlobs.of(source.include, source.exclude)
        self._found: list[SourceFile | Skipped] = []
        self._folders: list[_Folder] = []
        self._links: list[tuple[str, str, str, _Folder]] = []
        self._seen: set[tuple[int, int]] = set()  # device and inode

    def run(self) -> list[SourceFile | Skipped]:
        try:
            status = os.stat(self._root)  # noqa: PTH116
        except OSError as error:
            self._skip(self._written, _reason(error), unread=True)
            return self._found
        if not stat.S_ISDIR(status.st_mode):
            self._file(self._root, self._written, status, linked=False)
            self._sidecars()
            return self._found
        written = "" if self._written == "." else self._written.rstrip("/") + "/"
        self._enter(_Folder(self._root, written, "", IgnoreRules(), False), status)
        while self._folders or self._links:
            while self._folders:
                self._list(self._folders.pop())
            if self._links:  # after all that is there without them
                self._links.sort(reverse=True)
                self._link(*self._links.pop())
        return self._found

    def _sidecars(self) -> None:
        """Those of a root that is a file, where no other source holds them."""
        for path, written in zip(candidates(self._root), candidates(self._written), strict=True):
            if os.path.lexists(path) and not any(_under(path, other) for other in self.others):
                self._sidecar(path, written)

    def _sidecar(self, path: str, written: str) -> None:
        try:
            self._file(path, written, os.stat(path), linked=False)  # noqa: PTH116
        except OSError as error:
            self._skip(written, _reason(error), unread=True)

    def _enter(self, folder: _Folder, status: os.stat_result) -> None:
        if self._first_time(status):
            self._folders.append(folder)

    def _list(self, folder: _Folder) -> None:
        try:
            with os.scandir(folder.absolute) as listing:
                entries = list(listing)
            rules = folder.rules.entering(
                folder.absolute, folder.relative, (e.name for e in entries)
            )
        except OSError as error:
            name = os.path.basename(os.fsdecode(error.filename or ""))  # noqa: PTH119
            said = f"{name}: {_reason(error)}" if name in IGNORE_FILES else _reason(error)
            self._skip(folder.written.rstrip("/") or self._written, said, closed_folder=True)
            return
        within = _Folder(folder.absolute, folder.written, folder.relative, rules, folder.linked)
        for entry in entries:
            name = entry.name
            if name != KB_FOLDER and (self._settings.hidden or not name.startswith(_HIDDEN)):
                self._entry(entry, within)

    def _entry(self, entry: "os.DirEntry[str]", folder: _Folder) -> None:
        path = entry.path
        if not _related(path, self.start) and path not in self.beside:
            return
        relative = folder.relative + entry.name
        written = folder.written + escape_path(entry.name)
        try:
            if entry.is_symlink():
                if self._left_out(relative, folder.rules):
                    return
                if is_sidecar(path):
                    self._sidecar(path, written)
                else:
                    self._links.append((written, path, relative, folder))
                return
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            self._skip(written, _reason(error), unread=True)
            return
        self._thing(path, written, relative, status, folder)

    def _thing(
        self, path: str, written: str, relative: str, status: os.stat_result, folder: _Folder
    ) -> None:
        is_folder = stat.S_ISDIR(status.st_mode)
        if self._left_out(relative + "/" if is_folder else relative, folder.rules):
            return
        if path in self.others:
            return
        if is_folder:
            inside = _Folder(path, written + "/", relative + "/", folder.rules, folder.linked)
            self._enter(inside, status)
        elif (
            len(path) >= len(self.start) or path in self.beside
        ):  # not a file where `start` goes through
            self._file(path, written, status, folder.linked)

    def _left_out(self, relative: str, rules: IgnoreRules) -> bool:
        if name := subject(relative):  # `include` cannot tell yet: it may name any `name.*`
            return self._globs.exclude.match_file(name) or rules.leave_out(name)
        return self._globs.leave_out(relative) or rules.leave_out(relative)

    def _link(self, written: str, path: str, relative: str, folder: _Folder) -> None:
        target = os.path.realpath(path)  # unlike Path.resolve it takes a link that leads to itself
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            self._skip(written, "dangling link")
            return
        if self._settings.follow_links and not self._is_met(target):
            linked = _Folder(folder.absolute, folder.written, folder.relative, folder.rules, True)
            self._thing(path, written, relative, status, linked)

    def _is_met(self, target: str) -> bool:
        """Some walk comes there without the link."""
        return KB_FOLDER in target.split("/") or any(_under(target, r) for r in self.roots)

    def _file(self, path: str, written: str, status: os.stat_result, linked: bool) -> None:
        if not stat.S_ISREG(status.st_mode):
            self._skip(written, "not a regular file")
        elif status.st_size > self._settings.max_file_bytes:
            limit = self._settings.max_file_bytes
            self._skip(written, f"{status.st_size:,} bytes, over scan.max_file_bytes = {limit:,}")
        elif not self._settings.follow_links or self._first_time(status) or not linked:
            self._found.append(
                SourceFile(
                    written, path, status.st_size, status.st_mtime_ns, status.st_ino, self._source
                )
            )

    def _first_time(self, status: os.stat_result) -> bool:
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True

    def _skip(
        self, written: str, reason: str, *, closed_folder: bool = False, unread: bool = False
    ) -> None:
        self._found.append(Skipped(written, reason, closed_folder, unread, self._source))


def _without_lone_sidecars(found: list[SourceFile | Skipped]) -> list[SourceFile | Skipped]:
    beside = {entry.path for entry in found if is_sidecar(entry.path)}
    paired = pair((entry.path for entry in found if entry.path not in beside), beside)
    lone = beside.difference(*paired.values())
    return [entry for entry in found if entry.path not in lone]


def closed_folders(entries: Iterable[SourceFile | Skipped]) -> list[str]:
    """The folders whose files were not seen and may be there."""
    return [e.path for e in entries if isinstance(e, Skipped) and e.closed_folder]


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


def _under(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _related(path: str, start: str) -> bool:
    """`path` lies under `start` or on the way to it."""
    return _under(path, start) or _under(start, path)
