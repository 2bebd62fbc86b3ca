"""What a paragraph's style makes of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parse.heading_names import heading_level
from ingest.parse.xml_tree import attr, child, local, number
from ingest.words import words
from kb.records import ElementKind

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

_DEEPEST = 9  # outline levels; above it is body text
_CODE = words("code sourcecode htmlpreformatted preformattedtext plaintext listing código")
_CHAIN = 20  # styles that one may be based on


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style, or what a paragraph sets itself."""

    name: str = ""
    based_on: str = ""
    outline: int | None = None  # 0 is the highest
    list_id: str | None = None
    list_level: int | None = None


class Styles:
    """The paragraph styles of a document, each with what it inherits."""

    def __init__(self, root: "Node | None") -> None:
        self._styles = {
            attr(node, "styleId"): _read(node)
            for node in (root if root is not None else ())
            if local(node) == "style" and attr(node, "type") in ("paragraph", "")
        }
        self._resolved: dict[str, Style] = {}

    def of(self, properties: "Node | None") -> Style:
        """The style of a paragraph with these properties (``w:pPr``)."""
        named = self._resolve(attr(child(properties, "pStyle"), "val"))
        own = _read_properties(properties)
        return Style(
            named.name,
            "",
            named.outline if own.outline is None else own.outline,
            named.list_id if own.list_id is None else own.list_id,
            named.list_level if own.list_level is None else own.list_level,
        )

    def _resolve(self, style_id: str) -> Style:
        if style_id not in self._resolved:
            self._resolved[style_id] = self._inherited(style_id)
        return self._resolved[style_id]

    def _inherited(self, style_id: str) -> Style:
        outline = list_id = list_level = None
        first = self._styles.get(style_id, Style(style_id))
        name, style = first.name, first
        for _ in range(_CHAIN):
            if outline is None:
                level = heading_level(style.name)
                outline = (
                    style.outline if style.outline is not None else level - 1 if level else None
                )
            list_id = style.list_id if list_id is None else list_id
            list_level = style.list_level if list_level is None else list_level
            if style.based_on not in self._styles:
                break
            style = self._styles[style.based_on]
        return Style(name, "", outline, list_id, list_level)


def level_of(style: Style) -> int:
    """Heading level from 1, 0 where a paragraph is none."""
    if style.outline is None or not 0 <= style.outline < _DEEPEST:
        return 0
    return style.outline + 1


def kind_of(style: Style) -> ElementKind:
    """What a paragraph that is no heading and no list item is."""
    name = style.name.casefold()
    plain = name.replace(" ", "").replace("_", "").replace("-", "")
    if name.startswith("caption") or name in ("descripción", "epígrafe", "legend"):
        return "caption"
    if "quote" in name or name in ("cita", "cita destacada"):
        return "quote"
    return "code" if plain in _CODE else "paragraph"


def _read(node: "Node") -> Style:
    own = _read_properties(child(node, "pPr"))
    return Style(
        attr(child(node, "name"), "val") or attr(node, "styleId"),
        attr(child(node, "basedOn"), "val"),
        own.outline,
        own.list_id,
        own.list_level,
    )


def _read_properties(properties: "Node | None") -> Style:
    outline = child(properties, "outlineLvl")
    listed = child(properties, "numPr")
    list_id, level = child(listed, "numId"), child(listed, "ilvl")
    return Style(
        "",
        "",
        number(attr(outline, "val"), _DEEPEST) if outline is not None else None,
        attr(list_id, "val") if list_id is not None else None,
        number(attr(level, "val")) if level is not None else None,
    )
