"""Documents, chunks and contexts by key, and which file stands for which key."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import chain, count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from kb.location import Location
from kb.records import Chunk, Document, Reading
from kb.store.migrations import migrate, up_to_date
from kb.store.sqlite import compact, connect, settled, told_plainly, transaction, unchanged

_decode_document = msgspec.json.Decoder(Document).decode
_decode_chunks = msgspec.json.Decoder(tuple[Chunk, ...]).decode
_decode_reading = msgspec.json.Decoder(Reading).decode
_decode_contexts = msgspec.json.Decoder(tuple[str, ...]).decode
_FEW = 64  # keys that are looked up one by one
_STAGES = {"documents": "parse_key", "chunks": "chunk_key", "contexts": "context_key"}


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A folder or file that ``sync`` follows."""

    root: str  # a written path, see `Location.written`
    include: tuple[str, ...] = ()  # globs as in a .gitignore; empty: all files
    exclude: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRow:
    """What is known of one file, with the key of each stage's result ("" when there is none)."""

    path: str
    source: str
    size: int
    mtime_ns: int
    inode: int
    checked_ns: int = 0  # when the bytes were last hashed
    sha256: str = ""
    parser: str = ""
    parse_key: str = ""
    chunk_key: str = ""
    context_key: str = ""
    error: str = ""
    failed_key: str = ""  # of the attempt that ended in `error`; "" where it may end otherwise
    asked_key: str = (
        ""  # what an LLM said of its chunks when it was last asked; stays through edits
    )


@dataclass(frozen=True, slots=True)
class Said:
    """What an LLM said of one chunk, or why it did not."""

    chunk: str  # digest of its text, the prompt and the model
    document: str  # digest of the document that it saw
    context: str = ""
    problem: str = ""


_COLUMNS = tuple(f.name for f in fields(FileRow))
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM files"
_UPSERT = (
    f"INSERT OR REPLACE INTO files ({', '.join(_COLUMNS)}) "
    f"VALUES ({', '.join('?' * len(_COLUMNS))})"
)


class _Metadata(msgspec.Struct):
    """A document without its text and elements, which need not be decoded for it."""

    metadata: dict[str, Any] = {}


class Store:
    """The KB's memory of its stages. One writer, under the lock; any number of readers."""

    def __init__(self, location: Location) -> None:
        self._path = location.store
        self._db = connect(self._path)
        with told_plainly(self._path):
            migrate(self._db)

    @staticmethod
    def is_settled(location: Location) -> bool:
        """False where opening it to write takes in a killed writer's journal or a newer schema."""
        return settled(location.store, up_to_date)

    @classmethod
    @contextlib.contextmanager
    def unchanged(cls, location: Location) -> Iterator[Self]:
        """The store to read from, without a byte of it written; empty where there is none yet.

        No writer may be at work: hold the lock.
        """
        store = cls.__new__(cls)
        store._path = location.store
        with unchanged(location.store, up_to_date, migrate) as store._db:
            yield store

    @classmethod
    @contextlib.contextmanager
    def looking(cls, location: Location) -> Iterator[Self]:
        """The store to read from; nothing is made where there is none, or where nobody may write.

        A writer may be at work.
        """
        if location.store.exists() and os.access(location.folder, os.W_OK):
            with cls(location) as store:  # only a full connection sees what a writer has done
                yield store
        else:
            with cls.unchanged(location) as store:
                yield store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @property
    def folder(self) -> Path:
        """The folder it lies in."""
        return self._path.parent

    def sources(self) -> list[SourceRow]:
        """All sources, by path."""
        sql = "SELECT root, include, exclude, tags FROM sources ORDER BY root"
        return [
            SourceRow(root, *(tuple(msgspec.json.decode(text)) for text in lists))
            for root, *lists in self._all(sql)
        ]

    def put_source(self, row: SourceRow) -> None:
        """Follow a folder or file from now on, or with other rules."""
        lists = (msgspec.json.encode(x).decode() for x in (row.include, row.exclude, row.tags))
        sql = "INSERT OR REPLACE INTO sources (root, include, exclude, tags) VALUES (?, ?, ?, ?)"
        self._write([(sql, [(row.root, *lists)])])

    def remove_source(self, root: str) -> None:
        """Follow it no longer; its files stay until the next sync."""
        self._write([("DELETE FROM sources WHERE root = ?", [(root,)])])

    def files(self, source: str | None = None) -> list[FileRow]:
        """All files, or those of one source, by path."""
        where, values = ("", ()) if source is None else (" WHERE source = ?", (source,))
        return [FileRow(*row) for row in self._all(f"{_SELECT}{where} ORDER BY path", values)]

    def put_files(self, rows: Iterable[FileRow]) -> None:
        """Add or replace rows, in one transaction."""
        self._write([(_UPSERT, [_values(row) for row in rows])])

    def remove_files(self, paths: Iterable[str]) -> None:
        """Forget files, in one transaction."""
        self._write([("DELETE FROM files WHERE path = ?", [(path,) for path in paths])])

    def known(self, stage: str, keys: Iterable[str]) -> set[str]:
        """Those of `keys` that a stage ("documents", "chunks", "contexts") has a result for."""
        wanted = set(keys)
        if len(wanted) <= _FEW:
            sql = f"SELECT 1 FROM {_table(stage)} WHERE key = ?"
            return {key for key in wanted if any(True for _ in self._all(sql, (key,)))}
        return {key for (key,) in self._all(f"SELECT key FROM {_table(stage)}") if key in wanted}

    def documents(self, key: str) -> Iterator[Document]:
        """The parsed document under a key in its parts, read one at a time; most have one.

        Offsets of a part count from its own beginning.
        """
        return map(_decode_document, self._records("documents", key))

    def readings(self) -> dict[str, Reading]:
        """What reading each file came to, by the key of its document, as far as it was noted."""
        sql = "SELECT key, record FROM readings ORDER BY rowid"  # the last of a key counts
        return {key: _decode_reading(record) for key, record in self._all(sql)}

    def metadata(self, key: str) -> dict[str, Any]:
        """The metadata of the document under a key."""
        first = next(self._records("documents", key))
        return msgspec.json.decode(first, type=_Metadata).metadata

    def chunks(self, key: str) -> Iterator[Chunk]:
        """The chunks under a key, without path, ids and contexts; one part is held at a time."""
        return chain.from_iterable(map(_decode_chunks, self._records("chunks", key)))

    def contexts(self, key: str) -> Iterator[str]:
        """The contexts under a key, one a chunk; one part is held at a time."""
        return chain.from_iterable(map(_decode_contexts, self._records("contexts", key)))

    def said(self, key: str) -> dict[str, Said]:
        """What an LLM said of the chunks under an ``asked_key``, by chunk."""
        sql = "SELECT chunk, document, context, problem FROM asked WHERE key = ?"
        return {row[0]: Said(*row) for row in self._all(sql, (key,))}

    def put_said(self, key: str, said: Iterable[Said]) -> None:
        """Keep what an LLM said, before a file row points to it."""
        rows: list[tuple[object, ...]] = [
            (key, one.chunk, one.document, one.context, one.problem) for one in said
        ]
        sql = "INSERT OR REPLACE INTO asked VALUES (?, ?, ?, ?, ?)"
        self._write([("DELETE FROM asked WHERE key = ?", [(key,)]), (sql, rows)])

    def unsaid(self) -> list[tuple[str, int, str]]:
        """Files of whose chunks an LLM would not speak: path, number of chunks, the first reason."""
        sql = (
            "SELECT path, count(*), min(problem) FROM files JOIN asked ON asked.key = asked_key "
            "WHERE asked_key = context_key AND problem <> '' GROUP BY path ORDER BY path"
        )
        return [(path, number, problem) for path, number, problem in self._all(sql)]

    def put(
        self,
        stage: str,
        results: Iterable[tuple[str, Iterable[object]]],
        rows: Iterable[FileRow],
        readings: Mapping[str, Reading] = {},
    ) -> None:
        """Store results of a stage and the file rows that point to them, in one transaction.

        Each result is given in parts, that are taken and written one at a time; `rows` and `readings`
        are looked at after that.
        """
        table = _table(stage)
        insert = f"INSERT INTO {table} VALUES (?, ?, ?)"
        with told_plainly(self._path), transaction(self._db):
            for key, parts in results:
                self._db.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
                for number, record in enumerate(parts):
                    self._db.execute(insert, (key, number, msgspec.json.encode(record)))
            self._db.executemany(
                "INSERT INTO readings VALUES (?, ?)",
                [(key, msgspec.json.encode(reading)) for key, reading in readings.items()],
            )
            self._db.executemany(_UPSERT, [_values(row) for row in rows])

    def collect(self) -> int:
        """Drop results that no file points to any more; returns how many."""
        with told_plainly(self._path), transaction(self._db):
            dropped = self.uncollected()
            for stage, column in _STAGES.items():
                sql = f"DELETE FROM {stage} WHERE key NOT IN (SELECT {column} FROM files)"
                self._db.execute(sql)
            self._db.execute("DELETE FROM readings WHERE key NOT IN (SELECT parse_key FROM files)")
            self._db.execute("DELETE FROM asked WHERE key NOT IN (SELECT asked_key FROM files)")
        return dropped

    def uncollected(self) -> int:
        """How many results `collect` would drop."""
        counts = [
            f"(SELECT count(*) FROM {stage} WHERE part = 0 AND key NOT IN "
            f"(SELECT {column} FROM files))"
            for stage, column in _STAGES.items()
        ]
        return int(next(iter(self._all(f"SELECT {' + '.join(counts)}")))[0])

    def dangling(self) -> int:
        """How many results that files point to are not there."""
        counts = [
            f"(SELECT count(*) FROM files WHERE {column} <> '' AND {column} NOT IN "
            f"(SELECT key FROM {stage}))"
            for stage, column in _STAGES.items()
        ]
        return int(next(iter(self._all(f"SELECT {' + '.join(counts)}")))[0])

    def forget_dangling(self) -> int:
        """Have what `dangling` counts made again; returns how many results will be."""
        changed = 0
        with told_plainly(self._path), transaction(self._db):
            for stage, column in _STAGES.items():
                changed += self._db.execute(
                    f"UPDATE files SET {column} = '' WHERE {column} <> '' AND {column} NOT IN "
                    f"(SELECT key FROM {stage})"
                ).rowcount
        return changed

    def compact(self) -> bool:
        """Leave no deleted byte in the file; False where a reader was in the way."""
        with told_plainly(self._path):
            return compact(self._db)

    def _records(self, stage: str, key: str) -> Iterator[bytes]:
        sql = f"SELECT record FROM {_table(stage)} WHERE key = ? AND part = ?"
        for number in count():  # a query each: none is left open where the caller stops early
            found = list(self._all(sql, (key, number)))
            if not found:
                if number == 0:
                    raise KeyError(f"{stage}: {key}")
                return
            yield found[0][0]

    def _all(self, sql: str, values: Iterable[object] = ()) -> Iterator[tuple[Any, ...]]:
        with told_plainly(self._path):
            yield from self._db.execute(sql, tuple(values))

    def _write(self, statements: list[tuple[str, list[tuple[object, ...]]]]) -> None:
        with told_plainly(self._path), transaction(self._db):
            for sql, values in statements:
                self._db.executemany(sql, values)


def _values(row: FileRow) -> tuple[object, ...]:
    return tuple(getattr(row, column) for column in _COLUMNS)


def _table(stage: str) -> str:
    if stage not in _STAGES:
        raise KeyError(stage)
    return stage
