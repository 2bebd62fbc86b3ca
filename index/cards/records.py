"""The records of a document: rows of tables, items of CSV and JSON, each with its named fields."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from index.where.values import fold
from kb.records import Document, Element

MAX_NAME = 80  # characters
_PAIR = re.compile(rf"\s*([^:\n]{{1,{MAX_NAME}}}?):\s(.*)", re.DOTALL)
_RULE = re.compile(r"[\s|:=+\-_]*")
BY_NAME = ("csv", "json")  # parsers that write each record as its fields


@dataclass(frozen=True, slots=True)
class Record:
    """Its place is where it begins in the document's text."""

    start: int
    text: str
    fields: Mapping[str, str]  # by folded name


def records(parts: Iterable[Document], parser: str, title: str) -> Iterator[Record]:
    """The records of a document whose consecutive `parts` are given.

    Args:
        parts: as the store gives them.
        parser: that read it.
        title: the field that stands as a heading above a JSON record.
    """
    at = 0
    for part in parts:
        above = ""
        for element in part.elements:
            text = part.text[element.start : element.end]
            if parser in BY_NAME:
                if element.kind == "heading":
                    above = text
                    continue
                if fields := _named(text, element):
                    if above:
                        fields.setdefault(fold(title), above)
                    yield Record(at + element.start, text, fields)
                above = ""
            elif element.kind == "table":
                yield from _rows(text, at + element.start)
        at += len(part.text)


def _named(text: str, element: Element) -> dict[str, str]:
    """Fields of ``name: value | name: value``, or of a line each; a value may hold the mark itself."""
    mark = "\n" if element.kind != "table" or "\n" in text else " | "
    return _pairs(text.split(mark), mark)


def _pairs(pieces: Iterable[str], mark: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    last = ""
    for piece in pieces:
        pair = _PAIR.fullmatch(piece)
        if pair is not None:
            last = fold(" ".join(pair[1].split()))
            fields.setdefault(last, pair[2].strip())
        elif last:
            fields[last] += mark + piece
    return fields


def _rows(text: str, start: int) -> Iterator[Record]:
    """Rows below a header, their cells parted by bars; or a row a line of ``name: value; …``."""
    header: list[str] = []
    at = start
    for line in text.splitlines(keepends=True):
        here, at = at, at + len(line)
        if _RULE.fullmatch(line):
            continue
        if " | " not in line and "|" not in line.strip().strip("|"):
            if fields := _pairs(line.strip().split("; "), "; "):
                yield Record(here, line.strip(), fields)
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not header:
            header = [fold(cell) for cell in cells]
            continue
        shown = {name: cell for name, cell in zip(header, cells, strict=False) if name and cell}
        yield Record(here, line.strip(), shown)
