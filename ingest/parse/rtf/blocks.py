"""Paragraphs, lists and tables of an RTF file, put together as its text goes by."""

from dataclasses import dataclass, field

from ingest.parse.extracted import ExtractedText
from ingest.parse.heading_names import heading_level, is_contents, is_title
from ingest.parse.page_edges import add_edges
from ingest.parse.table.build import add_table


@dataclass(frozen=True, slots=True)
class Look:
    """What a paragraph's properties make of it."""

    style: str = ""
    outline: int | None = None
    in_table: bool = False
    depth: int = 0  # of a list item

    @property
    def level(self) -> int:
        """Heading level from 1, 0 for none."""
        if self.outline is not None and 0 <= self.outline < 9:
            return self.outline + 1
        return heading_level(self.style)


@dataclass(slots=True)
class Blocks:
    """Gathers rows and list items until they end."""

    built: ExtractedText = field(default_factory=ExtractedText)
    title: str = ""
    edges: list[str] = field(default_factory=list)  # page headers and footers
    _items: list[str] = field(default_factory=list)
    _rows: list[list[str]] = field(default_factory=list)
    _cells: list[str] = field(default_factory=list)
    _aside: list[tuple[str, str]] = field(default_factory=list)  # note or box, its text

    def aside(self, kind: str, text: str) -> None:
        """A note or a text box, which stands after the block that it belongs to."""
        self._aside.append((kind, " ".join(text.split())))

    def paragraph(self, text: str, label: str, look: Look) -> None:
        """The end of a paragraph outside a table; `label` is a list item's bullet or number."""
        self.end_table()
        if is_contents(look.style):
            return
        lines = [line for line in (" ".join(line.split()) for line in text.split("\n")) if line]
        label = label.strip()
        if lines and look.level:
            self._heading(" ".join(([label] if _is_number(label) else []) + lines), look)
        elif lines and label:
            mark = label if _is_number(label) else "-"
            self._items.append(f"{'  ' * min(look.depth, 8)}{mark} {' '.join(lines)}")
            return
        else:
            self._end_list()
            self.built.add("paragraph", "\n".join(lines))
        self._end_aside()

    def cell(self, text: str) -> None:
        """The end of a cell."""
        self._end_list()
        self._cells.append(" ".join(text.split()))

    def row(self, continued: list[bool]) -> None:
        """The end of a row; `continued` tells which of its cells go on from the row above."""
        above = self._rows[-1] if self._rows else []
        for at, goes_on in enumerate(continued[: len(self._cells)]):
            if goes_on and not self._cells[at] and at < len(above):
                self._cells[at] = above[at]
        if self._cells:
            self._rows.append(self._cells)
        self._cells = []

    def end_table(self) -> None:
        """Append the table in hand, if there is one."""
        if self._cells:
            self.row([])
        if not self._rows:
            return
        rows, self._rows = self._rows, []
        if max(map(len, rows)) == 1:
            for (text,) in rows:
                self.built.add("paragraph", text)
        else:
            add_table(self.built, rows)
        self._end_aside()

    def finish(self) -> None:
        """Append what is still in hand."""
        self.end_table()
        self._end_list()
        self._end_aside()
        add_edges(self.built, self.edges)

    def _heading(self, text: str, look: Look) -> None:
        self._end_list()
        if is_title(look.style):
            self.title = self.title or text
        self.built.add("heading", text, level=look.level)

    def _end_list(self) -> None:
        items, self._items = self._items, []
        self.built.add("list", "\n".join(items))
        if items:
            self._end_aside()

    def _end_aside(self) -> None:
        aside, self._aside = self._aside, []
        for kind, text in aside:
            self.built.add("note" if kind == "note" else "paragraph", text)


def _is_number(label: str) -> bool:
    return any(map(str.isalnum, label))
