"""The text of an OpenDocument paragraph, and what hangs on it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.parse.xml_tree import attr, below, child, local, number
from ingest.words import words

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

_NOT_SHOWN = words(
    """
    hidden-text ruby-text tracked-changes number bookmark-ref-format note-citation script
    """
)
SHAPES = words("frame custom-shape rect ellipse line polygon path g connector")
_SIGNS = {"tab": "\t", "line-break": "\n"}


@dataclass(slots=True)
class Inline:
    """A paragraph's text, and what hangs on it."""

    pieces: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    shapes: "list[Node]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """The pieces put together, blanks as they are shown."""
        return "".join(self.pieces)

    @property
    def hangs(self) -> bool:
        """Whether anything but text was there."""
        return bool(self.notes or self.shapes)


def read_inline(node: "Node", found: Inline | None = None) -> Inline:
    """What a paragraph shows."""
    found = Inline() if found is None else found
    found.pieces.append(_blanks(node.text))
    for inner in node:
        name = local(inner)
        if name == "s":
            found.pieces.append(" " * min(max(number(attr(inner, "c"), 1), 1), 100))
        elif name in _SIGNS:
            found.pieces.append(_SIGNS[name])
        elif name == "note":
            found.notes.append(plain_text(child(inner, "note-body")))
        elif name == "annotation":
            found.notes.append(comment(inner))
        elif name in SHAPES:
            found.shapes.append(inner)
        elif name and name not in _NOT_SHOWN:
            read_inline(inner, found)
        found.pieces.append(_blanks(inner.tail))
    return found


def plain_text(node: "Node | None") -> str:
    """All paragraphs of a note or a box on one line."""
    return " ".join(" ".join(read_inline(p).text for p in below(node, "p", "h")).split())


def comment(node: "Node") -> str:
    """An annotation with its author."""
    author = child(node, "creator")
    text = plain_text(node)
    return f"{author.text}: {text}" if author is not None and author.text and text else text


def _blanks(text: str | None) -> str:
    """XML's line breaks and runs of blanks are one blank."""
    if not text:
        return ""
    tight = " ".join(text.split())
    return (
        (" " if text[0].isspace() else "") + tight + (" " if tight and text[-1].isspace() else "")
    )
