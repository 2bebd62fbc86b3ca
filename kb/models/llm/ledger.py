"""What every call cost, by stage, model and day: written down before it is made, settled after it.

A file of its own, which any process may add to: a query does, while a sync holds the writer's lock.
"""

import contextlib
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Lock

from kb.models.llm.base import Usage
from kb.store.sqlite import connect, told_plainly, unchanged

_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    id INTEGER PRIMARY KEY,
    day TEXT NOT NULL,          -- ISO 8601, local
    stage TEXT NOT NULL,
    model TEXT NOT NULL,        -- name and address
    answered INTEGER NOT NULL,  -- 0: no answer came back; the numbers are an estimate
    prompt INTEGER NOT NULL,    -- tokens
    cached INTEGER NOT NULL,    -- of them, from the provider's cache
    completion INTEGER NOT NULL,
    picodollars INTEGER         -- NULL: no price was known
);
CREATE TABLE IF NOT EXISTS free (
    day TEXT NOT NULL,
    stage TEXT NOT NULL,
    model TEXT NOT NULL,
    answers INTEGER NOT NULL,   -- from our own cache
    PRIMARY KEY (day, stage, model)
) WITHOUT ROWID;
"""
_SUMS = """
SELECT day, stage, model, sum(calls), sum(unanswered), sum(free), sum(prompt), sum(cached),
       sum(completion), sum(picodollars), sum(unpriced)
FROM (
    SELECT day, stage, model, 1 AS calls, 1 - answered AS unanswered, 0 AS free, prompt, cached,
           completion, coalesce(picodollars, 0) AS picodollars, picodollars IS NULL AS unpriced
    FROM calls
    UNION ALL
    SELECT day, stage, model, 0, 0, answers, 0, 0, 0, 0, 0 FROM free
)
GROUP BY day, stage, model ORDER BY day, stage, model
"""


@dataclass(frozen=True, slots=True)
class Spent:
    """All of one stage with one model on one day."""

    day: str
    stage: str
    model: str
    calls: int
    unanswered: int  # of `calls`: no answer came back, counted as estimated
    free: int  # answers from our own cache, which cost nothing
    prompt: int  # tokens
    cached: int  # of `prompt`, from the provider's cache
    completion: int
    picodollars: int
    unpriced: int  # of `calls`: without a known price, so not in `picodollars`


class Ledger:
    """Adds to the ledger; shared by threads.

    Raises:
        OSError: it cannot be written here.
        TeselaError: it is damaged.
    """

    def __init__(self, path: Path) -> None:
        if not os.access(path.parent, os.W_OK):
            raise PermissionError(f"{path.parent} cannot be written")
        self._path = path
        self._lock = Lock()
        self._free: Counter[tuple[str, str, str]] = Counter()
        self._db = connect(path)
        try:
            with told_plainly(path):
                self._db.execute("PRAGMA synchronous = FULL")  # also a power cut hides nothing
                self._db.executescript(_SCHEMA)
        except BaseException:
            self._db.close()
            raise

    def begin(self, stage: str, model: str, expected: Usage, picodollars: int | None) -> int:
        """Enter a call that is about to be made, as estimated; returns its number."""
        sql = (
            "INSERT INTO calls (day, stage, model, answered, prompt, cached, completion, "
            "picodollars) VALUES (?, ?, ?, 0, ?, 0, ?, ?)"
        )
        row = (_today(), stage, model, expected.prompt, expected.completion, picodollars)
        with self._lock, told_plainly(self._path):
            return int(self._db.execute(sql, row).lastrowid or 0)

    def settle(self, number: int, usage: Usage, picodollars: int | None) -> None:
        """Put in what the call came to."""
        sql = (
            "UPDATE calls SET answered = 1, prompt = ?, cached = ?, completion = ?, "
            "picodollars = ? WHERE id = ?"
        )
        row = (usage.prompt, usage.cached, usage.completion, picodollars, number)
        with self._lock, told_plainly(self._path):
            self._db.execute(sql, row)

    def drop(self, number: int) -> None:
        """Strike out a call that was refused, and so not charged."""
        with self._lock, told_plainly(self._path):
            self._db.execute("DELETE FROM calls WHERE id = ?", (number,))

    def free(self, stage: str, model: str) -> None:
        """Count an answer of our own cache; written by `close`."""
        with self._lock:
            self._free[_today(), stage, model] += 1

    def close(self) -> None:
        """Write what is still to be written, and close the file."""
        sql = (
            "INSERT INTO free VALUES (?, ?, ?, ?) ON CONFLICT (day, stage, model) "
            "DO UPDATE SET answers = answers + excluded.answers"
        )
        with self._lock, told_plainly(self._path):
            self._db.executemany(sql, [(*key, count) for key, count in self._free.items()])
            self._free.clear()
            self._db.close()


def spent(path: Path) -> Iterator[Spent]:
    """The sums of a ledger, by day, stage and model; nothing where there is none.

    Raises:
        TeselaError: it is damaged.
    """
    if not path.exists():
        return
    with contextlib.ExitStack() as stack:
        if os.access(path.parent, os.W_OK):  # only a full connection sees what others write
            db = stack.enter_context(contextlib.closing(connect(path)))
            db.executescript(_SCHEMA)
        else:
            db = stack.enter_context(unchanged(path, _ready, lambda db: db.executescript(_SCHEMA)))
        with told_plainly(path):
            rows = db.execute(_SUMS).fetchall()
    for row in rows:
        yield Spent(*row)


def _ready(connection: sqlite3.Connection) -> bool:
    sql = "SELECT count(*) FROM sqlite_master WHERE name IN ('calls', 'free')"
    (found,) = connection.execute(sql).fetchone()
    return bool(found == 2)


def _today() -> str:
    return datetime.now().astimezone().date().isoformat()
