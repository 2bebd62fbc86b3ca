"""Tables of a page as rows of cells."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parse.table.grid import Cell, spread
from ingest.parse.xml_tree import number
from ingest.words import words

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_LAYOUT = words("table h1 h2 h3 h4 h5 h6 pre article section form")


def is_data_table(table: "HtmlElement") -> bool:
    """Whether a table holds data; one that holds whole blocks is only a frame for its page."""
    if (table.get("role") or "").lower() in ("presentation", "none"):
        return False
    if next((e for e in table.iter(*_LAYOUT) if e is not table), None) is not None:
        return False
    rows = list(table.iter("tr"))
    return max((len(_cells(row)) for row in rows), default=0) > 1 or len(rows) > 2


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """What a table holds."""

    caption: str
    rows: list[list[str]]
    headers: int | None  # first rows of nothing but ``th``; None: none is marked
    last_line: int  # in the source


def read_table(table: "HtmlElement") -> HtmlTable:
    """A table's rows, those of its head first marked as such."""
    caption = ""
    rows: list[list[Cell]] = []
    headers = 0
    for element in table.iter("caption", "tr"):
        if element.tag == "caption":
            caption = caption or _flat(element)
            continue
        cells = _cells(element)
        if headers == len(rows) and len(cells) > 1 and all(cell.tag == "th" for cell in cells):
            headers += 1
        rows.append([_cell(cell) for cell in cells])
    last = max((e.sourceline or 0) + (e.text or "").count("\n") for e in table.iter())
    return HtmlTable(caption, list(spread(rows)), headers or None, last)


def _cell(cell: "HtmlElement") -> Cell:
    across, down = cell.get("colspan") or "1", cell.get("rowspan") or "1"
    return Cell(_flat(cell), number(across, 1), number(down, 1))


def _cells(row: "HtmlElement") -> "list[HtmlElement]":
    return [cell for cell in row if cell.tag in ("td", "th")]


def _flat(element: "HtmlElement") -> str:
    pieces: list[str] = []
    for node in element.iter():
        if node.tag in ("br", "p", "div", "li"):
            pieces.append(" ")
        if node.tag == "img":
            pieces.append(f" {node.get('alt') or ''} ")
        pieces.append(node.text or "")
        if node is not element:
            pieces.append(node.tail or "")
    return " ".join("".join(pieces).replace("\xad", "").replace("\u200b", "").split())
