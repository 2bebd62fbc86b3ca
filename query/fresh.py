"""Whether a hit's file is still what was indexed: by its size and time, never by its bytes."""

import os
import sqlite3
import time
from dataclasses import dataclass, replace

from kb.errors import TeselaError
from kb.location import Location, unescape_path
from kb.records import Chunk, Freshness, Hit
from kb.store.glance import glance

_SURELY = 256  # files that are looked at however long it takes
_SECONDS = 0.02  # and then more, for so long
_Row = tuple[int, int, str]  # size, mtime_ns, sha256


@dataclass(frozen=True, slots=True)
class Behind:
    """How many known files are not what was last read, and whether all were looked at."""

    files: int
    all_seen: bool


class FreshnessCheck:
    """Compares files with what the store knows of them; one look a file."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self._home = os.fspath(location.home)
        self._known: dict[tuple[str, str], Freshness | None] = {}

    def of(self, chunk: Chunk) -> Freshness | None:
        """The state of the chunk's file; None where the store cannot be read.

        ``changed`` too when the file was read again since and the chunk is of an older reading. A
        derived chunk is as fresh as the stalest file that it quotes; None where it quotes none.
        """
        if chunk.kind != "text":
            return self._stalest({quote.path for quote in chunk.quotes})
        key = (chunk.path, chunk.content_hash)
        if key not in self._known:
            self._known[key] = self._look(*key)
        return self._known[key]

    def marked(self, hits: list[Hit]) -> list[Hit]:
        """The hits with `Hit.fresh`."""
        return [replace(hit, fresh=self.of(hit.chunk)) for hit in hits]

    def is_fresh(self, chunk: Chunk) -> bool:
        """Whether the chunk's file is as it was indexed.

        Raises:
            TeselaError: the store cannot be read.
        """
        state = self.of(chunk)
        if state is None and chunk.kind != "text" and not chunk.quotes:
            return True
        if state is None:
            raise TeselaError(
                f"cannot tell which files changed: {self._location.store} cannot be read; "
                "ask again, or with --fresh mark"
            )
        return state == "fresh"

    def behind(self) -> Behind | None:
        """The files that changed or went since the last sync, as far as a short look tells.

        New files are not seen. None where the store cannot be read.
        """
        return glance(self._location.store, self._count)

    def _stalest(self, paths: set[str]) -> Freshness | None:
        states = {path: self._known.setdefault((path, ""), self._look(path)) for path in paths}
        stale = sorted(state for state in states.values() if state in ("changed", "missing"))
        if stale:
            return "missing" if "missing" in stale else "changed"
        return "fresh" if states and None not in states.values() else None

    def _look(self, path: str, content_hash: str = "") -> Freshness | None:
        now = _stat(self._home, path)
        if now is None:
            return "missing"

        def read(database: sqlite3.Connection) -> list[_Row]:
            sql = "SELECT size, mtime_ns, sha256 FROM files WHERE path = ?"
            return database.execute(sql, (path,)).fetchall()

        rows = glance(self._location.store, read)
        if rows is None:
            return None
        known = [row if content_hash else (*row[:2], "") for row in rows]
        return "fresh" if known == [(*now, content_hash)] else "changed"

    def _count(self, database: sqlite3.Connection) -> Behind:
        started = time.monotonic()
        changed = 0
        sql = "SELECT path, size, mtime_ns FROM files WHERE error = ''"
        for number, (path, *indexed) in enumerate(database.execute(sql)):
            if number >= _SURELY and time.monotonic() - started > _SECONDS:
                return Behind(changed, False)
            now = _stat(self._home, path)
            changed += now is None or [*now] != indexed
        return Behind(changed, True)


def _stat(home: str, written: str) -> tuple[int, int] | None:
    """Size and mtime_ns of a file; None where it is not there or may not be looked at."""
    try:
        status = os.stat(os.path.join(home, unescape_path(written)))  # noqa: PTH116, PTH118
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
