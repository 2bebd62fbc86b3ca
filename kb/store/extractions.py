"""What chunks said of entities, and what users decided about names; the records are the graph's own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from kb.store.store import Store

_AT_ONCE = 500  # keys of one query


class Kept(NamedTuple):
    """What is kept of one chunk's text."""

    record: bytes
    problem: str = ""  # why an LLM said nothing, or not all; "" where it did


class Extractions:
    """Part of a `Store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, keys: Iterable[str]) -> dict[str, Kept]:
        """What is kept under `keys`, those that there are."""
        wanted: Iterator[str] = iter(dict.fromkeys(keys))
        found: dict[str, Kept] = {}
        while some := list(islice(wanted, _AT_ONCE)):
            marks = ", ".join("?" * len(some))
            sql = f"SELECT key, record, problem FROM extractions WHERE key IN ({marks})"
            rows = self._store._all(sql, some)
            found.update((key, Kept(record, problem)) for key, record, problem in rows)
        return found

    def put(self, kept: Mapping[str, Kept]) -> None:
        """Add or replace, in one transaction."""
        sql = "INSERT OR REPLACE INTO extractions VALUES (?, ?, ?)"
        self._store._write([(sql, [(key, *one) for key, one in kept.items()])])

    def keep_only(self, keys: Iterable[str]) -> int:
        """Drop what is kept under other keys; returns how much that was."""
        wanted = set(keys)
        every = (key for (key,) in self._store._all("SELECT key FROM extractions"))
        gone: list[tuple[object, ...]] = [(key,) for key in every if key not in wanted]
        if gone:
            self._store._write([("DELETE FROM extractions WHERE key = ?", gone)])
        return len(gone)

    def decisions(self) -> list[bytes]:
        """What users decided, in order."""
        sql = "SELECT record FROM name_decisions ORDER BY place"
        return [record for (record,) in self._store._all(sql)]

    def decide(self, records: Sequence[bytes]) -> None:
        """Replace all decisions."""
        rows: list[tuple[object, ...]] = list(enumerate(records))
        insert = "INSERT INTO name_decisions VALUES (?, ?)"
        self._store._write(
            [("DELETE FROM name_decisions WHERE place >= ?", [(0,)]), (insert, rows)]
        )
