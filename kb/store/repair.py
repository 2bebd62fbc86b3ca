"""Looking at a store that may be damaged, and putting it aside."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

ASIDE = ".damaged-"
_SIDE_FILES = ("", "-wal", "-shm")
Row = dict[str, Any]


def problem(path: Path) -> str:
    """What is wrong with a SQLite file, as SQLite says it; "" for nothing, or no file."""
    if not path.exists():
        return ""
    try:
        with closing(_open(path)) as db:
            found = [str(row[0]) for row in db.execute("PRAGMA quick_check(3)")]
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == ["ok"] else "; ".join(found)


def salvage_sources(path: Path) -> list[Row]:
    """The rows of ``sources``, column by column, as far as a damaged store gives them."""
    rows: list[Row] = []
    try:
        with closing(_open(path)) as db:
            db.row_factory = sqlite3.Row
            rows.extend(dict(row) for row in db.execute("SELECT * FROM sources"))
    except sqlite3.DatabaseError:
        pass  # what came before the damage is kept
    return rows


def restore_sources(path: Path, rows: list[Row]) -> None:
    """Put salvaged rows into a new store's ``sources``, the columns that it has."""
    with closing(_open(path)) as db, db:
        known = {str(column[1]) for column in db.execute("PRAGMA table_info(sources)")}
        for row in rows:
            kept = {name: value for name, value in row.items() if name in known}
            columns, places = ", ".join(kept), ", ".join("?" * len(kept))
            db.execute(
                f"INSERT OR IGNORE INTO sources ({columns}) VALUES ({places})", tuple(kept.values())
            )


def put_aside(path: Path) -> Path:
    """Rename a damaged file and SQLite's side files; returns the new name."""
    number = 1
    while (aside := path.with_name(f"{path.name}{ASIDE}{number}")).exists():
        number += 1
    for suffix in _SIDE_FILES:
        file = path.with_name(path.name + suffix)
        if file.exists():
            file.replace(aside.with_name(aside.name + suffix))
    return aside


def _open(path: Path) -> sqlite3.Connection:
    # Beside a file in WAL mode SQLite makes others; on a disk that takes none it is only looked at.
    mode = "rw" if os.access(path.parent, os.W_OK) else "ro&immutable=1"
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?mode={mode}", uri=True, timeout=30.0)
