"""Blocks of OpenDocument text: what documents, slides and their notes are made of."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.parse.extracted import ExtractedText
from ingest.parse.odf.inline import SHAPES, Inline, comment, plain_text, read_inline
from ingest.parse.odf.styles import Styles
from ingest.parse.table.build import add_table
from ingest.parse.table.grid import Cell, spread
from ingest.parse.xml_tree import attr, below, local, number
from ingest.words import words
from kb.records import ElementKind

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

_SKIPPED = words("tracked-changes table-of-content forms sequence-decls variable-decls")
_MOST_REPEATED = 64  # of a cell that says something


class TextReader:
    """Appends the blocks of a container, in order."""

    def __init__(self, built: ExtractedText, styles: Styles, page: int | None = None) -> None:
        self.title = ""
        self.page = page
        self._built, self._styles = built, styles

    def read(self, container: "Node | None") -> None:
        """All blocks of a body, a section, a text box."""
        code: list[str] = []
        for node in container if container is not None else ():
            name = local(node)
            if name == "p" and self._styles.kind(attr(node, "style-name")) == "code":
                code.append(read_inline(node).text)
                continue
            self._code(code)
            self._block(node, name)
        self._code(code)

    def shape(self, node: "Node") -> None:
        """What a frame, a form or a group of them holds."""
        held = list(node)
        table = next((inner for inner in held if local(inner) == "table"), None)
        for inner in held:
            name = local(inner)
            if name == "text-box" or name in SHAPES:
                self.read(inner) if name == "text-box" else self.shape(inner)
            elif name in ("p", "list"):
                self._block(inner, name)
            elif inner is table:
                self.table(inner)
            elif name in ("desc",):
                self._add("caption", " ".join((inner.text or "").split()))

    def table(self, node: "Node") -> None:
        """A table as rows; one that only places blocks is read block by block."""
        if _is_layout(node):
            for cell in below(node, "table-cell"):
                self.read(cell)
            return
        hanging: list[Inline] = []
        headers = sum(
            1 for header in _parts(node, "table-header-rows") for _ in _parts(header, "table-row")
        )
        add_table(
            self._built,
            spread(_row(row, hanging) for row in _rows(node)),
            headers=headers or None,
            page=self.page,
        )
        for inline in hanging:
            self._hang(inline)

    def _block(self, node: "Node", name: str) -> None:
        if name in ("h", "p"):
            self._paragraph(node, name)
        elif name == "list":
            self._list(node)
        elif name == "table":
            self.table(node)
        elif name in SHAPES:
            self.shape(node)
        elif name == "annotation":
            self._add("note", comment(node))
        elif name and name not in _SKIPPED:
            self.read(node)

    def _paragraph(self, node: "Node", name: str) -> None:
        style = attr(node, "style-name")
        inline = read_inline(node)
        level = self._styles.level(style)
        if name == "h":
            level = max(number(attr(node, "outline-level"), level), 1)
        lines = (" ".join(line.split()) for line in inline.text.split("\n"))
        text = "\n".join(filter(None, lines))
        if text and level:
            text = " ".join(text.split())
            if self._styles.is_title(style):
                self.title = self.title or text
            self._add("heading", text, min(level, 9))
        else:
            self._add(self._styles.kind(style), text)
        self._hang(inline)

    def _list(self, node: "Node") -> None:
        headings = [h for h in below(node, "h") if read_inline(h).text.strip()]
        if headings:  # numbered headings stand in lists of their own
            for heading in headings:
                self._paragraph(heading, "h")
            return
        hanging: list[Inline] = []
        self._add("list", "\n".join(self._items(node, attr(node, "style-name"), 1, hanging)))
        for inline in hanging:
            self._hang(inline)

    def _items(self, node: "Node", style: str, level: int, hanging: list[Inline]) -> Iterator[str]:
        numbered = self._styles.is_numbered(style, level)
        count = 0
        for item in node:
            if local(item) not in ("list-item", "list-header"):
                continue
            count = number(attr(item, "start-value"), count + 1)
            mark = f"{count}." if numbered else "-"
            for inner in item:
                if local(inner) == "list":
                    yield from self._items(
                        inner, attr(inner, "style-name") or style, level + 1, hanging
                    )
                elif local(inner) == "p":
                    inline = read_inline(inner)
                    hanging.append(inline)
                    text = " ".join(inline.text.split())
                    if text:
                        yield f"{'  ' * min(level - 1, 8)}{mark} {text}"
                        mark = " " * len(mark)

    def _hang(self, inline: Inline) -> None:
        for shape in inline.shapes:
            self.shape(shape)
        for note in inline.notes:
            self._add("note", note)

    def _code(self, lines: list[str]) -> None:
        self._add("code", "\n".join(lines))
        lines.clear()

    def _add(self, kind: ElementKind, text: str, level: int = 0) -> None:
        self._built.add(kind, text, level=level, page=self.page)


def _rows(node: "Node") -> "Iterator[Node]":
    for inner in node:
        name = local(inner)
        if name == "table-row":
            yield inner
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(inner)


def _row(row: "Node", hanging: list[Inline]) -> list[Cell]:
    cells: list[Cell] = []
    for node in row:
        if local(node) == "table-cell":
            text = _cell_text(node, hanging)
            times = number(attr(node, "number-columns-repeated"), 1)
            cell = Cell(
                text,
                number(attr(node, "number-columns-spanned"), 1),
                number(attr(node, "number-rows-spanned"), 1),
            )
            cells += [cell] * min(max(times, 1), _MOST_REPEATED)
    return cells


def _cell_text(cell: "Node", hanging: list[Inline]) -> str:
    pieces: list[str] = []
    for node in cell:
        if local(node) in ("p", "h"):
            inline = read_inline(node)
            pieces.append(inline.text)
            if inline.hangs:
                hanging.append(inline)
        else:
            pieces.append(plain_text(node))
    return " ".join(" ".join(pieces).split())


def _is_layout(table: "Node") -> bool:
    rows = list(_rows(table))
    return all(sum(1 for _ in _parts(row, "table-cell")) <= 1 for row in rows) or any(
        True for _ in below(table, "h")
    )


def _parts(node: "Node", name: str) -> "Iterator[Node]":
    return (inner for inner in node if local(inner) == name)
