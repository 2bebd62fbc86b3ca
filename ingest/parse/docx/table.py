"""Tables of a Word document."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ingest.parse.docx.inline import Inline, chosen, read_inline
from ingest.parse.table.grid import MOST_COLUMNS
from ingest.parse.xml_tree import attr, child, local, number
from ingest.words import words

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

_LOOKED_AT = 50  # rows that say what a table is for
_WRAPPERS = words("ins moveTo customXml smartTag sdt sdtContent")


def is_layout(table: "Node", level: "Callable[[Node], int]") -> bool:
    """Whether a table only places whole blocks on the page.

    It has one column, or a cell in which a heading stands among other paragraphs. `level` gives a
    paragraph's heading level, 0 for none.
    """
    widest = 0
    for row in islice(_parts(table, "tr"), _LOOKED_AT):
        cells = list(_parts(row, "tc"))
        widest = max(widest, len(cells))
        for cell in cells:
            paragraphs = list(_parts(cell, "p"))
            if len(paragraphs) > 2 and any(map(level, paragraphs)):
                return True
    return widest == 1


def repeated_rows(table: "Node") -> int | None:
    """How many first rows Word repeats on each page, None where it repeats none."""
    count = 0
    for row in _parts(table, "tr"):
        if child(row, "trPr", "tblHeader") is None:
            break
        count += 1
    return count or None


def read_rows(table: "Node", hanging: list[Inline]) -> Iterator[list[str]]:
    """Rows of cells' texts; notes and boxes in them are appended to `hanging`.

    A cell that goes on from the row above has that row's text.
    """
    above: list[str] = []
    for row in _parts(table, "tr"):
        if child(row, "trPr", "del") is not None:
            continue
        skipped = number(attr(child(row, "trPr", "gridBefore"), "val"))
        cells = [""] * min(max(skipped, 0), MOST_COLUMNS)
        for cell in _parts(row, "tc"):
            properties = child(cell, "tcPr")
            text = _cell_text(cell, hanging)
            merge = child(properties, "vMerge")
            if merge is not None and attr(merge, "val") != "restart" and len(cells) < len(above):
                text = text or above[len(cells)]
            across = number(attr(child(properties, "gridSpan"), "val"), 1)
            spanned = text if not above else ""
            cells += [text, *[spanned] * (min(max(across, 1), MOST_COLUMNS) - 1)]
        yield cells
        above = cells


def _cell_text(cell: "Node", hanging: list[Inline]) -> str:
    """Paragraphs after each other; rows of a table within parted by semicolons."""
    pieces: list[str] = []
    for node in _content(cell):
        if local(node) == "p":
            inline = read_inline(node)
            pieces.append(inline.text)
            if inline.notes or inline.boxes or inline.charts:
                hanging.append(inline)
        else:
            rows = (", ".join(filter(None, row)) for row in read_rows(node, hanging))
            pieces.append("; ".join(filter(None, rows)))
    return " ".join(" ".join(pieces).split())


def _content(node: "Node") -> "Iterator[Node]":
    for inner in node:
        name = local(inner)
        if name in ("p", "tbl"):
            yield inner
        elif name == "AlternateContent":
            branch = chosen(inner)
            if branch is not None:
                yield from _content(branch)
        elif name in _WRAPPERS:
            yield from _content(inner)


def _parts(node: "Node", wanted: str) -> "Iterator[Node]":
    """Children of one name, also those in revision marks and form fields."""
    for inner in node:
        name = local(inner)
        if name == wanted:
            yield inner
        elif name in _WRAPPERS:
            yield from _parts(inner, wanted)
