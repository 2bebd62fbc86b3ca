"""Which files a source holds. Nothing special is ever opened, loops are walked once."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.location import KB_FOLDER, Location, lexically_absolute
from kb.records import SourceFile
from kb.settings import ScanSettings


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that was met and could not be taken, and why."""

    path: str
    reason: str
    closed_folder: bool = False  # a folder that is there and whose files could not be listed


def scan(root: Path, location: Location, settings: ScanSettings) -> Iterator[SourceFile | Skipped]:
    """Every regular file under `root` (or `root` itself), sorted by path, each real file once.

    Hidden files and folders and links that lead out of `root` are left out unless `settings` asks
    for them; links that stay inside are left out since their targets are met anyway. The KB's own
    folder never counts. FIFOs, sockets, devices and dangling links are reported and not opened.
    """
    if KB_FOLDER in lexically_absolute(root).parts:
        yield Skipped(location.written(root), "part of a knowledge base")
        return
    if not root.is_dir():
        yield from _entry(root, root, location, settings, _Seen())
        return
    yield from _folder(root, root, location, settings, _Seen())


class _Seen:
    """Real folders and files already walked, by device and inode."""

    def __init__(self) -> None:
        self.identities: set[tuple[int, int]] = set()

    def first_time(self, status: os.stat_result) -> bool:
        identity = (status.st_dev, status.st_ino)
        if identity in self.identities:
            return False
        self.identities.add(identity)
        return True


def _folder(
    folder: Path, root: Path, location: Location, settings: ScanSettings, seen: _Seen
) -> Iterator[SourceFile | Skipped]:
    try:
        if not seen.first_time(folder.stat()):
            return
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda e: e.name)
    except OSError as error:
        yield Skipped(location.written(folder), error.strerror or str(error), True)
        return
    for entry in entries:
        if entry.name == KB_FOLDER or (entry.name.startswith(".") and not settings.hidden):
            continue
        yield from _entry(Path(entry.path), root, location, settings, seen)


def _entry(
    path: Path, root: Path, location: Location, settings: ScanSettings, seen: _Seen
) -> Iterator[SourceFile | Skipped]:
    written = location.written(path)
    linked = path != root and path.is_symlink()
    try:
        if linked and (not settings.follow_links or _stays_inside(path, root)):
            path.stat()  # only to tell a dangling link
            return
        status = path.stat()
    except OSError as error:
        yield Skipped(written, "dangling link" if linked else error.strerror or str(error))
        return
    if stat.S_ISDIR(status.st_mode):
        yield from _folder(path, root, location, settings, seen)
    elif not stat.S_ISREG(status.st_mode):
        yield Skipped(written, "not a regular file")
    elif status.st_size > settings.max_file_bytes:
        limit = settings.max_file_bytes
        yield Skipped(written, f"{status.st_size:,} bytes, over scan.max_file_bytes = {limit:,}")
    elif not linked or seen.first_time(status):
        yield SourceFile(written, path, status.st_size, status.st_mtime_ns, status.st_ino)


def _stays_inside(link: Path, root: Path) -> bool:
    """Its target is met by the walk itself."""
    target = os.path.realpath(link)  # unlike Path.resolve it takes a link that leads to itself
    return Path(target).is_relative_to(os.path.realpath(root))
