"""Paragraph and list styles of an OpenDocument file."""

from typing import TYPE_CHECKING

from ingest.parse.heading_names import heading_level, is_title
from ingest.parse.xml_tree import attr, below, child, local, number
from kb.records import ElementKind

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

_CHAIN = 20
_CAPTIONS = ("caption", "illustration", "table", "figure", "drawing", "ilustración", "tabla")


class Styles:
    """What a style's name and those of its parents say."""

    def __init__(self, *roots: "Node | None") -> None:
        self._parents: dict[str, str] = {}
        self._outline: dict[str, int] = {}
        self._numbered: set[tuple[str, int]] = set()
        self._hidden: set[str] = set()
        for root in roots:
            for node in below(root, "style"):
                name = attr(node, "name")
                self._parents[name] = attr(node, "parent-style-name")
                self._outline[name] = number(attr(node, "default-outline-level"))
                shown = attr(child(node, "drawing-page-properties"), "visibility")
                if shown == "hidden":
                    self._hidden.add(name)
            for node in below(root, "list-style"):
                for level in node:
                    if local(level) == "list-level-style-number" and attr(level, "num-format"):
                        self._numbered.add((attr(node, "name"), number(attr(level, "level"), 1)))

    def level(self, name: str) -> int:
        """Heading level of a paragraph of this style, 0 for none."""
        for style in self._chain(name):
            level = self._outline.get(style, 0) or heading_level(_plain(style))
            if level:
                return level
        return 0

    def is_title(self, name: str) -> bool:
        """Whether it is the style of a document's title."""
        return any(is_title(_plain(style)) for style in self._chain(name))

    def kind(self, name: str) -> ElementKind:
        """What a paragraph of this style is."""
        for style in map(_plain, self._chain(name)):
            if "quotation" in style or style in ("cita", "quote"):
                return "quote"
            if "preformatted" in style or "source code" in style:
                return "code"
            if style in _CAPTIONS:
                return "caption"
        return "paragraph"

    def is_numbered(self, list_style: str, level: int) -> bool:
        """Whether items of a list have numbers at a level, counted from 1."""
        return (list_style, level) in self._numbered

    def is_hidden(self, name: str) -> bool:
        """Whether slides of this style are not shown."""
        return name in self._hidden

    def _chain(self, name: str) -> list[str]:
        chain: list[str] = []
        while name and name not in chain and len(chain) < _CHAIN:
            chain.append(name)
            name = self._parents.get(name, "")
        return chain


def _plain(name: str) -> str:
    return name.replace("_20_", " ").casefold()
