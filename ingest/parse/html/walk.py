"""Walks the tree of a page and gives its blocks."""

import re
from typing import TYPE_CHECKING

from ingest.parse.extracted import ExtractedText
from ingest.parse.html.clean import is_note
from ingest.parse.html.table import is_data_table, read_table
from ingest.parse.table.build import add_table
from ingest.words import words
from kb.records import ElementKind

if TYPE_CHECKING:
    from lxml.html import HtmlElement

HEADINGS = {f"h{n}": n for n in range(1, 7)}
LISTS = frozenset(("ul", "ol", "dl", "menu", "dir"))
ITEMS = frozenset(("li", "dt", "dd"))
PRE = frozenset(("pre", "listing", "xmp", "plaintext"))
BLOCKS = words(
    """
    address article aside blockquote body center details dialog div fieldset figcaption
    figure footer  form header hr html legend main nav p section summary table tbody td
    tfoot th thead tr caption  title
    """
)
_BLANKS = re.compile(r"[ \t\r\n\f\v\xa0\u2000-\u200a\u3000]+")
_IGNORED = str.maketrans("", "", "\xad\u200b\ufeff")


class Walker:
    """One pass over the tree, without recursion, so that depth is no matter."""

    def __init__(self, built: ExtractedText | None = None) -> None:
        self.built = ExtractedText() if built is None else built
        self._buffer: list[str] = []
        self._line = 1
        self._first_line = self._last_line = 0
        self._list_depth = 0
        self._heading = 0
        self._pre = 0
        self._kinds: list[tuple[HtmlElement, ElementKind]] = []

    def walk(self, tree: "HtmlElement") -> ExtractedText:
        """All blocks under `tree`, in order."""
        from lxml import etree

        events = etree.iterwalk(tree, events=("start", "end"))
        for event, element in events:
            if event == "start":
                if self._start(element):
                    events.skip_subtree()
            else:
                self._end(element)
        self._flush()
        return self.built

    def _start(self, element: "HtmlElement") -> bool:
        """Opens an element; true where its content is done with."""
        self._line = max(self._line, element.sourceline or 0)
        tag = element.tag
        if tag == "table" and is_data_table(element):
            self._table(element)
            return True
        if tag == "title":
            return True
        self._open_block(element, tag)
        if tag == "br":
            self._buffer.append("\n")
        elif tag == "img" and (element.get("alt") or "").strip():
            self._text(f" {element.get('alt')} ", count=False)
        self._text(element.text or "")
        return False

    def _open_block(self, element: "HtmlElement", tag: str) -> None:
        if tag in HEADINGS or element.get("role") == "heading":
            self._flush()
            self._heading = HEADINGS.get(tag) or _aria_level(element)
        elif tag in PRE:
            self._break(element)
            self._pre += 1
        elif tag in LISTS:
            if self._list_depth == 0:
                self._flush()
            self._list_depth += 1
        elif tag in ITEMS:
            self._item(tag)
        elif tag in BLOCKS:
            self._break(element)
            if kind := _kind(element):
                self._kinds.append((element, kind))

    def _end(self, element: "HtmlElement") -> None:
        tag = element.tag
        if self._heading and (tag in HEADINGS or element.get("role") == "heading"):
            self._flush()
            self._heading = 0
        elif tag in PRE and self._pre:
            self._flush_pre()
        elif tag in LISTS and self._list_depth:
            self._list_depth -= 1
            if self._list_depth == 0:
                self._flush("list")
        elif tag in BLOCKS and tag not in ("table", "title"):
            self._break(element)
        if self._kinds and self._kinds[-1][0] is element:
            self._kinds.pop()
        self._text(element.tail or "")

    def _flush_pre(self) -> None:
        self._pre -= 1
        if self._list_depth == 0:
            self._flush("code")
        else:
            self._buffer.append("\n")

    def _item(self, tag: str) -> None:
        if self._list_depth == 0:
            self._flush()
            return
        self._buffer.append("\n" + "  " * min(self._list_depth - 1, 20))
        if tag == "li":
            self._buffer.append("- ")

    def _break(self, element: "HtmlElement") -> None:
        """Ends a block; in a list, whose items stay together, only a line."""
        if self._heading:
            self._buffer.append(" ")
        elif self._list_depth:
            self._line_break()
        else:
            self._flush()

    def _line_break(self) -> None:
        tail = "".join(self._buffer[-2:])
        if tail.strip(" ") and not tail.endswith(("\n", "- ")):
            self._buffer.append("\n" + "  " * min(self._list_depth, 20))

    def _text(self, text: str, count: bool = True) -> None:
        if not text:
            return
        if text.strip():
            lead = len(text) - len(text.lstrip())
            self._first_line = self._first_line or self._line + text.count("\n", 0, lead)
            self._last_line = self._line + text.rstrip().count("\n") if count else self._line
        if count:
            self._line += text.count("\n")
        text = text.translate(_IGNORED)
        self._buffer.append(text if self._pre else _BLANKS.sub(" ", text))

    def _flush(self, kind: ElementKind | None = None) -> None:
        text = "".join(self._buffer)
        self._buffer.clear()
        lines = (self._first_line or self._line, max(self._first_line, self._last_line, 1))
        self._first_line = self._last_line = 0
        if not text.strip():
            return
        kind = kind or self._current_kind()
        if kind != "code":
            text = tidy(text, kind)
        self.built.add(kind, text, level=self._heading if kind == "heading" else 0, lines=lines)

    def _current_kind(self) -> ElementKind:
        if self._heading:
            return "heading"
        if self._pre:
            return "code"
        if self._list_depth:
            return "list"
        return self._kinds[-1][1] if self._kinds else "paragraph"

    def _table(self, element: "HtmlElement") -> None:
        self._flush("list" if self._list_depth else None)
        table = read_table(element)
        first = self._line
        if table.caption:
            self.built.add("caption", table.caption, lines=(first, first))
        self._line = max(self._line, table.last_line)
        lines = (first, self._line)
        add_table(self.built, table.rows, headers=table.headers, lines=lines)


def tidy(text: str, kind: ElementKind) -> str:
    """Single blanks, no empty lines and no empty items; a heading on one line, lists indented."""
    if kind == "heading":
        return " ".join(text.split())
    lines = [re.sub(r"(?<=\S) +", " ", line).rstrip() for line in text.split("\n")]
    if kind != "list":
        lines = [line.strip() for line in lines]
    return "\n".join(line for line in lines if line.strip() not in ("", "-"))


def _aria_level(element: "HtmlElement") -> int:
    level = element.get("aria-level") or "2"
    return (
        min(max(int(level), 1), 6) if level.isascii() and level.isdigit() and len(level) < 3 else 2
    )


def _kind(element: "HtmlElement") -> ElementKind | None:
    if element.tag == "blockquote":
        return "quote"
    if element.tag in ("figcaption", "caption"):
        return "caption"
    if element.tag in ("div", "aside", "section") and element.get("class") and is_note(element):
        return "note" if len(element) < 40 else None
    return None
