"""The blocks of one slide."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.parse.extracted import ExtractedText
from ingest.parse.ooxml.chart import drawn_text, read_chart
from ingest.parse.ooxml.package import Package, Relation
from ingest.parse.table.build import add_table
from ingest.parse.table.grid import Cell, spread
from ingest.parse.xml_tree import attr, below, child, local, number
from ingest.words import words

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

TITLES = words("title ctrTitle")
_FURNITURE = words("dt ftr sldNum hdr")
_BULLETED = ("body", "obj", "")
_DESCRIBED_BY_PROGRAM = ("automatically generated", "generada automáticamente")
_OFF = ("0", "false")


class ShapeReader:
    """Appends what the shapes of one slide say, in the slide's reading order, its title first."""

    def __init__(
        self, built: ExtractedText, package: Package, relations: dict[str, Relation], page: int
    ) -> None:
        self._built, self._package = built, package
        self._relations, self._page = relations, page

    def read(self, tree: "Node | None", level: int) -> str:
        """All shapes under ``p:spTree``; returns the title, which becomes a heading of `level`."""
        shapes = list(_shapes(tree))
        titled = next((s for s in shapes if placeholder(s) in TITLES and _text(s)), None)
        title = _text(titled) if titled is not None else ""
        if title:
            self._built.add("heading", title, level=level, page=self._page)
        for shape in shapes:
            if shape is not titled and placeholder(shape) not in _FURNITURE:
                self._shape(shape)
        return title

    def _shape(self, shape: "Node") -> None:
        name = local(shape)
        if name == "graphicFrame":
            self._frame(shape)
        elif name == "pic":
            described = attr(child(shape, "nvPicPr", "cNvPr"), "descr")
            if not described.rstrip(". \n").lower().endswith(_DESCRIBED_BY_PROGRAM):
                self._built.add("caption", " ".join(described.split()), page=self._page)
        else:
            self._paragraphs(shape)

    def _paragraphs(self, shape: "Node") -> None:
        kind = placeholder(shape)
        lines = list(paragraphs(child(shape, "txBody"), kind in _BULLETED))
        if kind in _BULLETED and len(lines) == 1 and not lines[0].startswith(" "):
            lines = [lines[0].removeprefix("- ")]
        listed = any(line.lstrip().startswith("- ") for line in lines)
        self._built.add("list" if listed else "paragraph", "\n".join(lines), page=self._page)

    def _frame(self, frame: "Node") -> None:
        table = next(below(frame, "tbl"), None)
        if table is not None:
            first = attr(child(table, "tblPr"), "firstRow").lower()
            rows = spread(_row(row) for row in below(table, "tr"))
            headers = 1 if first not in ("", *_OFF) else None
            add_table(self._built, rows, headers=headers, page=self._page)
            return
        chart = next(below(frame, "chart"), None)
        diagram = next(below(frame, "relIds"), None)
        root = self._target(attr(chart, "id") or attr(diagram, "dm"))
        if root is None:
            return
        if chart is not None:
            title, cells = read_chart(root)
            self._built.add("caption", title, page=self._page)
            add_table(self._built, cells, headers=1, page=self._page)
        else:
            lines = filter(None, (drawn_text(point) for point in below(root, "pt")))
            self._built.add("paragraph", "\n".join(lines), page=self._page)

    def _target(self, relation: str) -> "Node | None":
        found = self._relations.get(relation)
        return self._package.tree(found.target) if found is not None else None


def placeholder(shape: "Node") -> str:
    """The role of a shape in its layout: ``title``, ``body``, "" for contents, "-" for none."""
    for properties in shape:
        found = child(properties, "nvPr", "ph")
        if found is not None:
            return attr(found, "type")
    return "-"


def paragraphs(body: "Node | None", bulleted: bool) -> Iterator[str]:
    """Lines of a text body; items begin with a dash and are indented by their level."""
    for paragraph in body if body is not None else ():
        if local(paragraph) != "p":
            continue
        text = " ".join("".join(_pieces(paragraph)).split())
        if not text:
            continue
        properties = child(paragraph, "pPr")
        level = min(max(number(attr(properties, "lvl")), 0), 8)
        marks = {local(node) for node in properties} if properties is not None else set[str]()
        item = bool(marks & {"buChar", "buAutoNum", "buBlip"}) or (
            bulleted and "buNone" not in marks
        )
        yield f"{'  ' * level}- {text}" if item else text


def _pieces(paragraph: "Node") -> Iterator[str]:
    for node in paragraph.iter("{*}t", "{*}br", "{*}tab"):
        yield (node.text or "") if local(node) == "t" else " "


def _text(shape: "Node | None") -> str:
    body = child(shape, "txBody")
    return " ".join(paragraphs(body, bulleted=False))


def _row(row: "Node") -> list[Cell]:
    return [
        Cell(
            " ".join(paragraphs(child(cell, "txBody"), bulleted=False)),
            number(attr(cell, "gridSpan"), 1),
            number(attr(cell, "rowSpan"), 1),
        )
        for cell in row
        if local(cell) == "tc" and not (_merged(cell, "hMerge") or _merged(cell, "vMerge"))
    ]


def _merged(cell: "Node", how: str) -> bool:
    return attr(cell, how).lower() not in ("", *_OFF)


def _shapes(tree: "Node | None") -> "Iterator[Node]":
    """Shapes in reading order, those of groups where the group stands."""
    for node in tree if tree is not None else ():
        name = local(node)
        if name in ("sp", "pic", "graphicFrame", "cxnSp"):
            yield node
        elif name in ("grpSp", "Choice", "Fallback"):
            yield from _shapes(node)
        elif name == "AlternateContent":
            choice = child(node, "Choice")
            yield from _shapes(choice if choice is not None else child(node, "Fallback"))
