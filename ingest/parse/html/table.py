"""Tables of a page as text: a row a line, cells parted by bars, the header first."""

from typing import TYPE_CHECKING

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


def table_rows(table: "HtmlElement") -> tuple[str, list[str], int]:
    """Caption, one line a row (``a | b | c``), and the last source line."""
    caption = ""
    rows: list[str] = []
    for element in table.iter("caption", "tr"):
        if element.tag == "caption":
            caption = caption or _flat(element)
            continue
        cells = [_flat(cell) for cell in _cells(element)]
        if any(cells):
            rows.append(" | ".join(cells))
    last = max((e.sourceline or 0) + (e.text or "").count("\n") for e in table.iter())
    return caption, rows, last


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
