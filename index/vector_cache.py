"""Embeddings by (model fingerprint, exact text): a renamed, copied or moved file costs no embedding.

Safe to delete: what is missing is embedded again. It may hold as much again as the generation needs.
"""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from kb.digest import digest
from kb.store.sqlite import compact, connect, told_plainly, transaction, unchanged

Floats = NDArray[np.float32]
Codes = NDArray[np.uint8]
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    key TEXT PRIMARY KEY,    -- digest of fingerprint and text
    vector BLOB NOT NULL,    -- float32
    codes BLOB               -- sign bits of the token vectors, uint8 (t, dimension / 8); NULL: not made
) WITHOUT ROWID
"""


_SPARE = 2048  # embeddings that are kept unused however few are used


class VectorCache:
    """One model's view of the cache file."""

    def __init__(self, path: Path, fingerprint: str, dimension: int) -> None:
        self._path = path
        self._fingerprint = fingerprint
        self._dimension = dimension
        self._db: sqlite3.Connection = connect(path)
        with told_plainly(path):
            self._db.execute(_SCHEMA)

    @classmethod
    @contextlib.contextmanager
    def unchanged(cls, path: Path, fingerprint: str) -> Iterator[Self]:
        """The cache to look things up in, without a byte of it written; empty where there is none.

        No writer may be at work: hold the lock.
        """
        cache = cls.__new__(cls)
        cache._path, cache._fingerprint, cache._dimension = path, fingerprint, 0
        with unchanged(path, _has_table, lambda db: db.execute(_SCHEMA)) as cache._db:
            yield cache

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._db.close()

    def missing(self, texts: Iterable[str], with_codes: bool) -> list[str]:
        """The texts that have no vector yet (or no token codes, where wanted), each once, in order."""
        unique = list(dict.fromkeys(texts))
        condition = " AND codes IS NOT NULL" if with_codes else ""
        sql = f"SELECT 1 FROM vectors WHERE key = ?{condition}"
        with told_plainly(self._path):
            return [t for t in unique if self._db.execute(sql, (self._key(t),)).fetchone() is None]

    def put(self, texts: Sequence[str], vectors: Floats, codes: Sequence[Codes] | None) -> None:
        """Keep vectors, shape (len(texts), dimension), and token codes, in one transaction."""
        blobs = [None] * len(texts) if codes is None else [c.tobytes() for c in codes]
        rows = [
            (self._key(text), vector.astype(np.float32).tobytes(), blob)
            for text, vector, blob in zip(texts, vectors, blobs, strict=True)
        ]
        with told_plainly(self._path), transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def collect(self, texts: Iterable[str], spare: int = _SPARE) -> int:
        """Drop what `texts` do not need, once that is more than they need and more than `spare`.

        What was deleted, or made by another model, so stays for a while: it may come back.

        Returns:
            How many embeddings were dropped.
        """
        with told_plainly(self._path), transaction(self._db):
            self._db.execute("CREATE TEMP TABLE used (key TEXT PRIMARY KEY) WITHOUT ROWID")
            rows = ((self._key(text),) for text in texts)
            self._db.executemany("INSERT OR IGNORE INTO used VALUES (?)", rows)
            (used,) = self._db.execute("SELECT count(*) FROM used").fetchone()
            (kept,) = self._db.execute("SELECT count(*) FROM vectors").fetchone()
            dropped = 0
            if kept - used > max(used, spare):
                sql = "DELETE FROM vectors WHERE key NOT IN (SELECT key FROM used)"
                dropped = self._db.execute(sql).rowcount
            self._db.execute("DROP TABLE used")
        return dropped

    def vectors(self, texts: Sequence[str]) -> Floats:
        """Vectors of texts that are all there, shape (len(texts), dimension)."""
        raw = b"".join(self._column("vector", text) for text in texts)
        return np.frombuffer(raw, np.float32).reshape(len(texts), self._dimension)

    def codes(self, text: str) -> Codes:
        """Token codes of a text that is there, uint8 (t, dimension / 8)."""
        return np.frombuffer(self._column("codes", text), np.uint8).reshape(
            -1, self._dimension // 8
        )

    def _column(self, column: str, text: str) -> bytes:
        with told_plainly(self._path):
            row = self._db.execute(
                f"SELECT {column} FROM vectors WHERE key = ?", (self._key(text),)
            ).fetchone()
        return bytes(row[0])

    def _key(self, text: str) -> str:
        return digest(self._fingerprint, text)


def _has_table(connection: sqlite3.Connection) -> bool:
    sql = "SELECT count(*) FROM sqlite_master WHERE name = 'vectors'"
    (found,) = connection.execute(sql).fetchone()
    return bool(found)


@contextlib.contextmanager
def _opened(path: Path, only_look: bool) -> Iterator[sqlite3.Connection]:
    if only_look:
        with unchanged(path, _has_table, lambda db: db.execute(_SCHEMA)) as db:
            yield db
    else:
        with contextlib.closing(connect(path)) as db:
            db.execute(_SCHEMA)
            yield db


def purge(path: Path, wanted: Iterable[tuple[str, str]], dry_run: bool = False) -> tuple[int, bool]:
    """Drop every embedding that is not of a wanted (fingerprint, text), and every byte of it.

    Returns:
        How many were dropped (or would be), and whether no byte of them is left, which a reader of
        the file can prevent.
    """
    if not path.exists():
        return 0, True
    with told_plainly(path), _opened(path, dry_run) as db:
        db.execute("CREATE TEMP TABLE wanted (key TEXT PRIMARY KEY) WITHOUT ROWID")
        keys = ((digest(fingerprint, text),) for fingerprint, text in wanted)
        with transaction(db):
            db.executemany("INSERT OR IGNORE INTO wanted VALUES (?)", keys)
        where = "FROM vectors WHERE key NOT IN (SELECT key FROM wanted)"
        if dry_run:
            (count,) = db.execute(f"SELECT count(*) {where}").fetchone()
            return int(count), True
        dropped = db.execute(f"DELETE {where}").rowcount
        return dropped, compact(db)
