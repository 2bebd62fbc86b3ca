"""Opening SQLite files with one set of habits, and telling their errors in plain words."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from kb.errors import TeselaError

_LOOK = "mode=ro&immutable=1"


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


def settled(path: Path, ready: Callable[[sqlite3.Connection], bool]) -> bool:
    """Whether `unchanged` would need no copy, or there is no file."""
    if not path.exists():
        return True
    if _journal(path).exists():
        return False
    with told_plainly(path), contextlib.closing(_open(path, _LOOK)) as connection:
        return ready(connection)


@contextlib.contextmanager
def unchanged(
    path: Path,
    ready: Callable[[sqlite3.Connection], bool],
    make_ready: Callable[[sqlite3.Connection], object],
) -> Iterator[sqlite3.Connection]:
    """A connection to read from that leaves no trace, for use while no writer is at work.

    Where there is no file, where its schema is not `ready`, or where a killed writer left a journal,
    it is to a copy that `make_ready` has brought up to date.

    Raises:
        TeselaError: the file cannot be opened or is no database.
    """
    with told_plainly(path), contextlib.ExitStack() as stack:
        if path.exists() and not _journal(path).exists():
            connection = _open(path, _LOOK)
            stack.callback(connection.close)
            if ready(connection):
                yield connection
                return
        copy = stack.enter_context(_copy(path))
        make_ready(copy)
        yield copy


@contextlib.contextmanager
def _copy(path: Path) -> Iterator[sqlite3.Connection]:
    with tempfile.TemporaryDirectory(prefix="tesela-") as folder:
        copy = Path(folder) / "copy.sqlite"
        for file, target in ((path, copy), (_journal(path), _journal(copy))):
            if file.exists():
                shutil.copyfile(file, target)
        with contextlib.closing(_open(copy, "mode=rwc")) as connection:
            yield connection


def _journal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _open(path: Path, options: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path))}?{options}"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


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
