"""Opening SQLite files with one set of habits, and telling their errors in plain words."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from kb.errors import TeselaError


def connect(path: Path) -> sqlite3.Connection:
    """A connection in WAL mode; transactions are explicit.

    Raises:
        TeselaError: the file cannot be opened or is no database.
    """
    with told_plainly(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, isolation_level=None, timeout=30.0, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
    return connection


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a full disk makes SQLite roll back by itself
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def compact(connection: sqlite3.Connection) -> bool:
    """Rewrite the file so that nothing deleted is left in it or beside it.

    Returns:
        False where a reader kept the journal from being emptied.
    """
    connection.execute("VACUUM")
    (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


@contextlib.contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """SQLite's errors as ours, with the file and the way out."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "malformed" in text or "not a database" in text:
            raise TeselaError(
                f"{path} is damaged ({text}): run 'tesela doctor --fix', or move it away and run "
                "'tesela sync PATH' to build it again"
            ) from error
        if "full" in text or "disk I/O" in text:
            raise TeselaError(f"{path}: {text}: free some space and run it again") from error
        raise TeselaError(f"{path}: {text}") from error
