"""The text of a paragraph as a reader sees it: insertions in, deletions and hidden text out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.parse.xml_tree import attr, below, child, local
from ingest.words import words

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

_NOT_SHOWN = words(
    """
    del moveFrom delText instrText delInstrText pPr rPr sdtPr sdtEndPr rt fldData tblPr
    bookmarkStart bookmarkEnd proofErr lastRenderedPageBreak oMathParaPr ctrlPr
    """
)
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_REFERENCES = {
    "footnoteReference": "footnote",
    "endnoteReference": "endnote",
    "commentReference": "comment",
}
_SELF_MADE = re.compile(
    r"\s*(?:Description automatically generated|Descripción generada automáticamente).*",
    re.I | re.S,
)
_LONGEST_HEADING = 90  # characters
_OFF = ("0", "false", "off", "none")


@dataclass(slots=True)
class Inline:
    """A paragraph's text, and what hangs on it."""

    pieces: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)  # footnote, endnote, comment; id
    boxes: "list[Node]" = field(default_factory=list)  # content of text boxes
    charts: list[tuple[str, str]] = field(default_factory=list)  # chart or diagram; relation id

    @property
    def text(self) -> str:
        """The pieces put together."""
        return "".join(self.pieces)


def read_inline(paragraph: "Node", found: Inline | None = None) -> Inline:
    """What a paragraph, or anything within one, shows."""
    found = Inline() if found is None else found
    for node in paragraph:
        name = local(node)
        if name == "t":
            found.pieces.append(node.text or "")
        elif name in _NOT_SHOWN or not name:
            continue
        elif name in _SIGNS:
            found.pieces.append(_SIGNS[name])
        elif name in _REFERENCES:
            found.notes.append((_REFERENCES[name], attr(node, "id")))
        else:
            _read_other(node, name, found)
    return found


def chosen(node: "Node") -> "Node | None":
    """The branch of an ``mc:AlternateContent`` that is shown: the first, for readers of today."""
    choice = child(node, "Choice")
    return choice if choice is not None and len(choice) else child(node, "Fallback")


def _read_other(node: "Node", name: str, found: Inline) -> None:
    if name == "AlternateContent":
        branch = chosen(node)
        if branch is not None:
            read_inline(branch, found)
    elif name in ("drawing", "pict", "object"):
        _read_drawing(node, found)
    elif name == "sym":
        found.pieces.append(_symbol(attr(node, "char")))
    elif name == "f":  # a fraction
        above, below_it = child(node, "num"), child(node, "den")
        if above is not None and below_it is not None:
            read_inline(above, found)
            found.pieces.append("/")
            read_inline(below_it, found)
    elif not (name == "r" and _hidden(node)) and not (name == "sdt" and _prompt(node)):
        read_inline(node, found)


def _read_drawing(node: "Node", found: Inline) -> None:
    for shape in _shapes(node):
        name = local(shape)
        if name == "txbxContent":
            found.boxes.append(shape)
        elif name == "docPr":
            described = _SELF_MADE.sub("", attr(shape, "descr")).strip()
            if described:
                found.pieces.append(f" {described} ")
        else:
            found.charts.append((name, attr(shape, "dm" if name == "relIds" else "id")))


def _shapes(node: "Node") -> "Iterator[Node]":
    """Text boxes, descriptions, charts and diagrams of a drawing, those within a box apart."""
    for inner in node:
        name = local(inner)
        if name == "AlternateContent":
            branch = chosen(inner)
            if branch is not None:
                yield from _shapes(branch)
        elif name in ("txbxContent", "chart", "relIds"):
            yield inner
        else:
            if name == "docPr":
                yield inner
            yield from _shapes(inner)


def _hidden(run: "Node") -> bool:
    mark = child(run, "rPr", "vanish")
    return mark is not None and attr(mark, "val").lower() not in _OFF


def _prompt(field_: "Node") -> bool:
    """Whether a form field still shows what to put there."""
    mark = child(field_, "sdtPr", "showingPlcHdr")
    return mark is not None and attr(mark, "val").lower() not in _OFF


def _symbol(code: str) -> str:
    """A sign of a symbol font; those keep theirs in the private range, where no reader sees it."""
    try:
        point = int(code, 16)
    except ValueError:
        return ""
    if 0xE000 <= point <= 0xF8FF:
        point -= 0xF000
    shown = chr(point) if 0x20 <= point < 0x110000 and not 0xD800 <= point < 0xE000 else ""
    return {"\xb7": "•", "\xa8": "☐", "\xfe": "☑"}.get(shown, shown)


def looks_like_heading(paragraph: "Node", text: str) -> bool:
    """Whether a paragraph that no style calls a heading was meant as one: short, all of it bold."""
    text = text.strip()
    if not 2 < len(text) <= _LONGEST_HEADING or "\n" in text or text[-1] in ".,;:":
        return False
    runs = [
        run for run in below(paragraph, "r") if any((t.text or "").strip() for t in below(run, "t"))
    ]
    marks = [child(run, "rPr", "b") for run in runs]
    return all(mark is not None and attr(mark, "val").lower() not in _OFF for mark in marks)


def plain_text(node: "Node") -> str:
    """All paragraphs of a footnote, a comment or a text box on one line."""
    return " ".join(" ".join(read_inline(p).text for p in below(node, "p")).split())
