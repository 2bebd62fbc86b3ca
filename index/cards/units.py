"""What a card counts, one by one: documents, records, or matches of a pattern."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import islice

from index.cards.definition import Definition
from index.cards.fields import document_lookup, first_of, source_finder, with_parts
from index.cards.records import BY_NAME, Record, records
from index.chunk_table import ChunkTable, DocumentEntry
from index.validity import validities
from index.where.nodes import Lookup
from index.where.values import fold
from kb.records import Document
from kb.store import FileRow, Store

_MOST_VALUES = 1000  # of one document that a pattern finds


@dataclass(frozen=True, slots=True)
class Unit:
    """One of what is counted."""

    row: int  # the leaf where it begins
    document: int
    ordinal: int  # in its document
    lookup: Lookup
    text: Callable[[], str]  # of it


class Base:
    """The documents to count in: those of a table, and what the store knows of them."""

    def __init__(self, table: ChunkTable, store: Store, json_title: str = "title") -> None:
        self.table = table
        self._store = store
        self._json_title = json_title
        self._source = source_finder([row.root for row in store.sources()])

    @cached_property
    def _files(self) -> dict[str, FileRow]:
        return {row.path: row for row in self._store.files() if row.parse_key}

    def units(self, definition: Definition) -> Iterator[Unit]:
        """Those that hold on the definition's day and meet its conditions, in the table's order."""
        on = definition.day or date.max  # on the last of all days only what has no end holds
        states = validities(self.table.documents, on)
        for number, (entry, state) in enumerate(zip(self.table.documents, states, strict=True)):
            if state == "valid":
                for unit in self._of_document(definition, number, entry):
                    if all(node.truth(unit.lookup) is True for node in definition.where):
                        yield unit

    def _of_document(
        self, definition: Definition, number: int, entry: DocumentEntry
    ) -> Iterator[Unit]:
        lookup = document_lookup(entry, self._source)
        if definition.settings.of == "records":
            yield from self._records(number, entry, lookup)
        elif definition.settings.of == "matches":
            yield from self._matches(definition, number, entry, lookup)
        else:
            found = self._extracting(definition, entry, lookup)
            first = self.table.rows(number)[0]
            yield Unit(first, number, 0, with_parts(found), lambda: self._text(entry))

    def record_fields(self, most: int) -> Iterator[str]:
        """Names of the fields of the first `most` records, folded."""
        numbered = enumerate(self.table.documents)
        found = (record for number, entry in numbered for record in self._read(number, entry))
        for record in islice(found, most):
            yield from record.fields

    def _records(self, number: int, entry: DocumentEntry, lookup: Lookup) -> Iterator[Unit]:
        leaf = _LeafFinder(self.table, number)
        for ordinal, record in enumerate(self._read(number, entry)):
            fields = with_parts(first_of(record.fields, lookup))
            yield Unit(leaf.at(record.start), number, ordinal, fields, lambda r=record: r.text)  # type: ignore[misc]

    def _read(self, number: int, entry: DocumentEntry) -> Iterator[Record]:
        """The records of a document, which is not read where it has none."""
        parser = entry.about.parser
        if parser in BY_NAME or self._has_table(number):
            yield from records(self._parts(entry), parser, self._json_title)

    def _matches(
        self, definition: Definition, number: int, entry: DocumentEntry, lookup: Lookup
    ) -> Iterator[Unit]:
        text = self._text(entry)
        leaf = _LeafFinder(self.table, number)
        for ordinal, match in enumerate(definition.matches(text, entry.path)):
            fields: dict[str, object] = {
                fold(name): value for name, value in match.groupdict().items() if value
            }
            found = with_parts(first_of(fields, lookup))
            yield Unit(leaf.at(match.start()), number, ordinal, found, lambda m=match: m[0])  # type: ignore[misc]

    def _extracting(self, definition: Definition, entry: DocumentEntry, lookup: Lookup) -> Lookup:
        """`lookup` that finds the pattern's names in the document's text, which it reads if asked."""
        if definition.pattern is None:
            return lookup
        found: dict[str, list[str]] = {}

        def extracting(name: str) -> object:
            if name not in definition.extracted:
                return lookup(name)
            if not found:
                found.update(self._extracted(definition, entry))
            return found[name] or None

        return extracting

    def _extracted(self, definition: Definition, entry: DocumentEntry) -> dict[str, list[str]]:
        values: dict[str, dict[str, None]] = {name: {} for name in definition.extracted}
        for match in definition.matches(self._text(entry), entry.path):
            for name, value in match.groupdict().items():
                if value and len(values[fold(name)]) < _MOST_VALUES:
                    values[fold(name)][value] = None
        return {name: list(those) for name, those in values.items()}

    def _has_table(self, number: int) -> bool:
        return any("table" in self.table.said(row)[1] for row in range(*self.table.rows(number)))

    def _parts(self, entry: DocumentEntry) -> Iterator[Document]:
        file = self._files.get(entry.path)
        return iter(()) if file is None else self._store.documents(file.parse_key)

    def _text(self, entry: DocumentEntry) -> str:
        return "".join(part.text for part in self._parts(entry))


class _LeafFinder:
    """The leaf in which a place of a document lies; places are asked for in rising order."""

    def __init__(self, table: ChunkTable, document: int) -> None:
        self._table = table
        self._row, self._end = table.rows(document)
        self._until = self._next_start()

    def at(self, place: int) -> int:
        while self._until <= place:
            self._row += 1
            self._until = self._next_start()
        return self._row

    def _next_start(self) -> float:
        return self._table[self._row + 1].start if self._row + 1 < self._end else math.inf
