"""A look at the store from outside: it writes nothing, takes no lock and waits for no writer."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

_ATTEMPTS = 3
T = TypeVar("T")


def glance(path: Path, work: Callable[[sqlite3.Connection], T]) -> T | None:
    """What `work` reads from a SQLite file; None where it cannot be read now.

    `work` may be called again: without a journal the file is read as if nobody could write it, since
    any other connection would leave a journal of its own behind, and what was read counts only if
    nobody did write.
    """
    for _ in range(_ATTEMPTS):
        before = _state(path)
        if before is None:
            return None
        options = "mode=ro" if _journal(path).exists() else "mode=ro&immutable=1"
        uri = f"file:{quote(os.fsencode(path))}?{options}"
        with contextlib.suppress(sqlite3.DatabaseError):
            connection = sqlite3.connect(uri, uri=True, timeout=0.2)
            with contextlib.closing(connection):
                found = work(connection)
            if "immutable" not in options or (
                _state(path) == before and not _journal(path).exists()
            ):
                return found
    return None


def _journal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _state(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
