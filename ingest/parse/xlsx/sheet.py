"""The cells of a sheet, row by row, as they are shown; nothing is kept but the row in hand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.parse.ooxml.package import Package
from ingest.parse.xlsx.book import Book, rich_text
from ingest.parse.xlsx.formats import Format, general, shown
from ingest.parse.xml_tree import local, stream_xml

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

Row = dict[int, str]  # column from 1 → text; blank cells are not in it
MOST_MERGES = 100_000
_MOST_OPEN = 500  # merged cells that one row may go on from
_MERGE = re.compile(
    rb"mergeCell\s[^>]{0,100}?ref=[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']"
)
_BLOCK = 1 << 20
_OVERLAP = 200


@dataclass(slots=True)
class Merges:
    """Merged cells by the row that they begin in."""

    starting: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    _open: list[tuple[int, int, str]] = field(default_factory=list)  # column, last row, text

    def apply(self, number: int, row: Row) -> None:
        """Give a row what cells merged from rows above show in it."""
        self._open = [(column, last, text) for column, last, text in self._open if last >= number]
        for column, _, text in self._open:
            row.setdefault(column, text)
        for first, _, bottom in self.starting.get(number, ()):
            if bottom > number and first in row and len(self._open) < _MOST_OPEN:
                self._open.append((first, bottom, row[first]))

    def across(self, number: int, row: Row) -> Row:
        """A header row, a merged cell's text in each of its columns."""
        wide = dict(row)
        for first, last, _ in self.starting.get(number, ()):
            if first in row:
                wide |= dict.fromkeys(range(first, last + 1), row[first])
        return wide


@dataclass(slots=True)
class SheetReader:
    """Reads one sheet."""

    package: Package
    book: Book
    part: str
    uncomputed: int = 0  # formulas without a stored result, after `rows`

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Number and cells of each row that has any; rows that are only claimed cost nothing."""
        number = 0
        with self.package.archive.open(self.part) as stream:
            for node in stream_xml(stream, "row", self.part, self.package.damage):
                written = node.get("r") or ""
                number = int(written) if written.isdigit() and len(written) < 9 else number + 1
                if len(node) and (row := self._row(node)):
                    yield number, row

    def merges(self) -> Merges:
        """The merged cells, which stand after all rows: found by a look through the raw bytes."""
        found = Merges()
        tail = b""
        with self.package.archive.open(self.part) as stream:
            count = 0
            while (block := stream.read(_BLOCK)) and count < MOST_MERGES:
                text = tail + block
                end = 0
                for match in _MERGE.finditer(text):
                    count += 1
                    end = match.end()
                    left, top, right, bottom = match.groups()
                    span = (_column(left.decode()), _column(right.decode()), int(bottom))
                    found.starting.setdefault(int(top), []).append(span)
                tail = text[max(end, len(text) - _OVERLAP) :]
        return found

    def _row(self, node: "Node") -> Row:
        row: Row = {}
        column = 0
        for cell in node:
            reference = cell.get("r")
            column = (reference and _column(reference)) or column + 1
            if len(cell) and (text := self._text(cell)):
                row[column] = text
        return row

    def _text(self, cell: "Node") -> str:
        kind = cell.get("t", "n")
        value, formula = "", False
        for part in cell:
            name = local(part)
            if name == "v":
                value = part.text or ""
            elif name == "is":
                return rich_text(part).strip()
            elif name == "f":
                formula = True
        if not value:
            self.uncomputed += formula
            return ""
        return self._shown(value, kind, cell.get("s") or "0")

    def _shown(self, value: str, kind: str, style: str) -> str:
        if kind == "s":
            at = int(value) if value.isdigit() and len(value) < 10 else -1
            return self.book.strings[at].strip() if 0 <= at < len(self.book.strings) else ""
        if kind == "b":
            return "TRUE" if value.strip() == "1" else "FALSE"
        if kind != "n":
            return value.removesuffix("T00:00:00").strip() if kind == "d" else value.strip()
        try:
            amount = float(value)
        except ValueError:
            return value.strip()
        if amount != amount or amount in (float("inf"), float("-inf")):
            return value.strip()
        form = self._format(style)
        return general(amount) if form is None else shown(amount, form, self.book.from_1904)

    def _format(self, style: str) -> Format | None:
        at = int(style) if style.isdigit() and len(style) < 8 else 0
        return self.book.formats[at] if at < len(self.book.formats) else None


def _column(reference: str) -> int:
    """``AB12`` is column 28; 0 where no letters stand."""
    number = 0
    for letter in reference[:3]:
        if not "A" <= letter <= "Z":
            break
        number = number * 26 + ord(letter) - 64
    return number
