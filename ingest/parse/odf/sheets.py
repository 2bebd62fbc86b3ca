"""Sheets of an OpenDocument spreadsheet; nothing is kept but the row in hand."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.parse.extracted import ExtractedText
from ingest.parse.odf.file import OdfFile
from ingest.parse.odf.inline import comment, read_inline
from ingest.parse.xlsx.parser import MOST_CHARACTERS
from ingest.parse.xlsx.regions import add_regions
from ingest.parse.xlsx.sheet import Merges, Row
from ingest.parse.xml_tree import attr, local, number, stream_events

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

_MOST_REPEATED = 1000  # of a row that says something
_MOST_ACROSS = 64  # of a cell
_LAST_ROW = 1 << 21


class SheetsReader:
    """Reads all sheets as the file goes by."""

    def __init__(self, built: ExtractedText) -> None:
        self._built = built
        self._notes: list[str] = []
        self._merges = Merges()

    def read(self, file: OdfFile) -> None:
        """Append a heading, tables and notes for each sheet."""
        with file.stream() as stream:
            events = stream_events(stream, ("table",), ("table-row",), "content.xml", file.damage)
            page = 0
            for started, node in events:
                if started:
                    page += 1
                    self._sheet(node, events, page)

    def _sheet(self, table: "Node", events: "Iterator[tuple[bool, Node]]", page: int) -> None:
        self._built.add("heading", attr(table, "name"), level=1, page=page)
        self._merges = Merges()
        add_regions(self._built, self._rows(table, events), self._merges, page)
        for note in self._notes:
            self._built.add("note", note, page=page)
        self._notes.clear()
        if self._built.elements and self._built.elements[-1].kind == "heading":
            self._built.take_back()

    def _rows(
        self, table: "Node", events: "Iterator[tuple[bool, Node]]"
    ) -> Iterator[tuple[int, Row]]:
        """Rows that say something, up to the end of this sheet."""
        at = 0
        for started, node in events:
            if not started and node is table:
                return
            if started or local(node) != "table-row" or self._built.length > MOST_CHARACTERS:
                continue
            times = max(number(attr(node, "number-rows-repeated"), 1), 1)
            row = self._row(node, at + 1)
            for offset in range(1, min(times, _MOST_REPEATED) + 1) if row else ():
                yield at + offset, dict(row)
            at = min(at + times, _LAST_ROW)

    def _row(self, node: "Node", at: int) -> Row:
        row: Row = {}
        column = 0
        for cell in node:
            name = local(cell)
            if name not in ("table-cell", "covered-table-cell"):
                continue
            times = max(number(attr(cell, "number-columns-repeated"), 1), 1)
            if name == "table-cell" and len(cell) and (text := self._text(cell)):
                for offset in range(1, min(times, _MOST_ACROSS) + 1):
                    row[column + offset] = text
                self._span(cell, at, column + 1)
            column += min(times, _LAST_ROW)
        return row

    def _span(self, cell: "Node", row: int, column: int) -> None:
        across = min(max(number(attr(cell, "number-columns-spanned"), 1), 1), _MOST_REPEATED)
        down = max(number(attr(cell, "number-rows-spanned"), 1), 1)
        if across > 1 or down > 1:
            span = (column, column + across - 1, row + down - 1)
            self._merges.starting.setdefault(row, []).append(span)

    def _text(self, cell: "Node") -> str:
        pieces: list[str] = []
        for node in cell:
            if local(node) == "annotation":
                self._notes.append(comment(node))
            elif local(node) == "p":
                inline = read_inline(node)
                pieces.append(inline.text)
                self._notes += inline.notes
        return " ".join(" ".join(pieces).split())
