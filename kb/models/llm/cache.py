"""Answers by what was asked, on disk. Safe to delete: what is missing is asked, and paid, again."""

import contextlib
import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import IO

from kb.store.sqlite import compact, connect, told_plainly, unchanged

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, -- digest of endpoint, model, prompt, form and parameters
    answer TEXT NOT NULL  -- the checked answer: JSON, or plain text
) WITHOUT ROWID
"""
_POLL_SECONDS = 0.05


class AnswerCache:
    """Shared by threads and by processes. Where it cannot be written, it is only read."""

    def __init__(self, path: Path, only_look: bool = False) -> None:
        """Open it; `only_look`: write nothing, and make no file.

        Raises:
            TeselaError: the file is damaged.
        """
        self._path = path
        self._lock = Lock()
        self._kept: dict[str, str] = {}
        self._stack = contextlib.ExitStack()
        self._claims: IO[bytes] | None = None
        try:
            writable = None if only_look else self._writable()
            self._db = writable or self._stack.enter_context(
                unchanged(path, _has_table, lambda db: db.execute(_SCHEMA))
            )
        except BaseException:
            self._stack.close()
            raise

    @property
    def writable(self) -> bool:
        """Whether answers are kept."""
        return self._claims is not None

    def get(self, key: str) -> str | None:
        """An answer, or None."""
        if key in self._kept:
            return self._kept[key]
        with self._lock, told_plainly(self._path):
            row = self._db.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, key: str, answer: str) -> None:
        """Keep an answer; for this run only, where nothing can be written."""
        if not self.writable:
            self._kept[key] = answer
            return
        with self._lock, told_plainly(self._path):
            self._db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, answer))

    @contextlib.contextmanager
    def claim(self, key: str, sleep: Callable[[float], None] = time.sleep) -> Iterator[None]:
        """Hold what is asked against other processes, so that only one of them pays.

        The lock is on one byte of a file, and goes with the process.
        """
        claims = self._claims
        if claims is None:
            yield
            return
        place = int(key[:15], 16)
        while not self._take(claims, place):
            sleep(_POLL_SECONDS)
        try:
            yield
        finally:
            fcntl.lockf(claims, fcntl.LOCK_UN, 1, place)

    def close(self) -> None:
        """Close the file."""
        self._stack.close()

    def _take(self, claims: IO[bytes], place: int) -> bool:
        try:
            fcntl.lockf(claims, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except BlockingIOError:
            return False
        return True

    def _writable(self) -> sqlite3.Connection | None:
        folder = self._path.parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                return None
            claims = self._stack.enter_context(self._path.with_suffix(".lock").open("ab"))
        except OSError:
            return None
        connection = self._stack.enter_context(contextlib.closing(connect(self._path)))
        with told_plainly(self._path):
            connection.execute(_SCHEMA)
        self._claims = claims
        return connection


def purge(path: Path, dry_run: bool = False) -> tuple[int, bool]:
    """Drop every answer and every byte of it.

    Returns:
        How many were dropped (or would be), and whether no byte of them is left, which a reader of
        the file can prevent.
    """
    if not path.exists():
        return 0, True
    if dry_run:
        with unchanged(path, _has_table, lambda db: db.execute(_SCHEMA)) as db:
            return _count(db), True
    with told_plainly(path), contextlib.closing(connect(path)) as db:
        db.execute(_SCHEMA)
        count = _count(db)
        if not count:
            return 0, True
        db.execute("DELETE FROM answers")
        return count, compact(db)


def _count(db: sqlite3.Connection) -> int:
    (count,) = db.execute("SELECT count(*) FROM answers").fetchone()
    return int(count)


def _has_table(connection: sqlite3.Connection) -> bool:
    sql = "SELECT count(*) FROM sqlite_master WHERE name = 'answers'"
    (found,) = connection.execute(sql).fetchone()
    return bool(found)
