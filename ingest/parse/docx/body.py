"""Walks a document's body and gives its blocks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingest.parse.docx.inline import Inline, chosen, looks_like_heading, plain_text, read_inline
from ingest.parse.docx.numbering import BULLET, Numbering
from ingest.parse.docx.styles import Style, Styles, kind_of, level_of
from ingest.parse.docx.table import is_layout, read_rows, repeated_rows
from ingest.parse.extracted import ExtractedText
from ingest.parse.heading_names import is_contents, is_title
from ingest.parse.ooxml.chart import drawn_text, read_chart
from ingest.parse.ooxml.package import Package
from ingest.parse.table.build import add_table
from ingest.parse.xml_tree import attr, below, child, local
from ingest.words import words
from kb.records import ElementKind

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

_WRAPPERS = words("ins moveTo customXml smartTag sdtContent Choice Fallback")
_NOTE_PARTS = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}


class BodyReader:
    """One pass over the blocks of a part, in order."""

    def __init__(self, package: Package, part: str, *, guess: bool = False) -> None:
        """Read `part`; `guess`: short bold paragraphs are headings."""
        self._guess = guess
        self.built = ExtractedText()
        self.title = ""
        self.warnings: list[str] = []
        self._package = package
        self._relations = package.relations(part)
        self._styles = Styles(self._related_tree("styles"))
        self._numbering = Numbering(self._related_tree("numbering"))
        self._notes: dict[str, dict[str, Node]] = {}
        self._run: tuple[ElementKind, list[str]] | None = None  # a list or code being put together
        self._pending: list[Inline] = []  # what hangs on the blocks of that run

    def read(self, container: "Node | None") -> None:
        """Append all blocks of a body, a text box or a header."""
        self._blocks(container)
        self._flush()

    def _blocks(self, container: "Node | None") -> None:
        for node in container if container is not None else ():
            name = local(node)
            if name == "p":
                self._paragraph(node)
            elif name == "tbl":
                self._table(node)
            elif name == "sdt":
                if not _is_contents_field(node):
                    self._blocks(child(node, "sdtContent"))
            elif name == "AlternateContent":
                self._blocks(chosen(node))
            elif name in _WRAPPERS:
                self._blocks(node)
            elif name == "altChunk":
                self.warnings.append("a file inserted in it as a whole was not read")

    def _paragraph(self, node: "Node") -> None:
        style = self._styles.of(child(node, "pPr"))
        if is_contents(style.name):
            return
        inline = read_inline(node)
        text = inline.text.strip("\r\n").rstrip()
        level = level_of(style)
        listed = style.list_id not in (None, "0")
        if self._guess and not level and not listed and looks_like_heading(node, text):
            level = 1
        if not text.strip():
            self._hang(inline)
        elif level:
            self._heading(text, level, style)
            self._hang(inline)
        elif listed:
            label = self._label(style)
            indent = "  " * min(style.list_level or 0, 8)
            self._extend("list", f"{indent}{label} {' '.join(text.split())}".rstrip(), inline)
        else:
            self._plain(text, kind_of(style), inline)

    def _heading(self, text: str, level: int, style: Style) -> None:
        self._flush()
        text = " ".join(text.split())
        if is_title(style.name):
            self.title = self.title or text
        label = self._label(style) if style.list_id not in (None, "0") else ""
        if label not in ("", BULLET):
            text = f"{label} {text}"
        self.built.add("heading", text, level=level)

    def _label(self, style: Style) -> str:
        return self._numbering.label(style.list_id or "", style.list_level or 0)

    def _plain(self, text: str, kind: ElementKind, inline: Inline) -> None:
        if kind == "code":
            self._extend("code", text, inline)
            return
        self._flush()
        lines = (" ".join(line.split()) for line in text.split("\n"))
        self.built.add(kind, "\n".join(filter(None, lines)))
        self._hang(inline)

    def _extend(self, kind: ElementKind, line: str, inline: Inline) -> None:
        """Add a line to the list or the code in hand, or begin one."""
        if self._run is None or self._run[0] != kind:
            self._flush()
            self._run = (kind, [])
        self._run[1].append(line)
        self._pending.append(inline)

    def _flush(self) -> None:
        if self._run is None:
            return
        kind, lines = self._run
        pending, self._pending, self._run = self._pending, [], None
        self.built.add(kind, "\n".join(lines))
        for inline in pending:
            self._hang(inline)

    def _hang(self, inline: Inline) -> None:
        """Append text boxes, charts and notes after what they hang on."""
        if not (inline.boxes or inline.charts or inline.notes):
            return
        self._flush()
        for box in inline.boxes:
            self.read(box)
        for kind, relation in inline.charts:
            self._drawing(kind, relation)
        for kind, note in inline.notes:
            self.built.add("note", self._note(kind, note))

    def _drawing(self, kind: str, relation: str) -> None:
        target = self._relations.get(relation)
        root = self._package.tree(target.target) if target is not None else None
        if root is None:
            return
        if kind == "chart":
            title, rows = read_chart(root)
            self.built.add("caption", title)
            add_table(self.built, rows, headers=1)
        else:
            lines = (drawn_text(point) for point in below(root, "pt"))
            self.built.add("paragraph", "\n".join(filter(None, lines)))

    def _note(self, kind: str, identifier: str) -> str:
        if kind not in self._notes:
            root = self._related_tree(_NOTE_PARTS[kind])
            self._notes[kind] = {
                attr(node, "id"): node for node in (root if root is not None else ())
            }
        node = self._notes[kind].get(identifier)
        if node is None:
            return ""
        text = plain_text(node)
        author = attr(node, "author") if kind == "comment" else ""
        return f"{author}: {text}" if author and text else text

    def _table(self, table: "Node") -> None:
        self._flush()
        if is_layout(table, lambda node: level_of(self._styles.of(child(node, "pPr")))):
            for cell in _cells(table):
                self._blocks(cell)
                self._flush()
            return
        hanging: list[Inline] = []
        add_table(self.built, read_rows(table, hanging), headers=repeated_rows(table))
        for inline in hanging:
            self._hang(inline)

    def _related_tree(self, kind: str) -> "Node | None":
        targets = (r.target for r in self._relations.values() if r.kind == kind)
        return self._package.tree(next(targets, ""))


def _cells(table: "Node") -> "Iterator[Node]":
    for node in table:
        name = local(node)
        if name == "tc":
            yield node
        elif name in ("tr", "sdt", "sdtContent", "ins", "customXml"):
            yield from _cells(node)


def _is_contents_field(node: "Node") -> bool:
    gallery = attr(child(node, "sdtPr", "docPartObj", "docPartGallery"), "val")
    return gallery == "Table of Contents"
