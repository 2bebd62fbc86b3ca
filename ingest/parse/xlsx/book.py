"""What all sheets of a workbook share: their order, strings and number formats."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parse.ooxml.package import Package
from ingest.parse.xlsx.formats import BUILT_IN, Format, read_format
from ingest.parse.xml_tree import attr, below, child, local, number, stream_xml

if TYPE_CHECKING:
    from lxml.etree import _Element as Node


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet as the workbook lists it."""

    name: str
    part: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Book:
    """A workbook without its cells."""

    sheets: tuple[SheetPart, ...]
    strings: tuple[str, ...]
    formats: tuple[Format, ...]  # by a cell's style number
    from_1904: bool


def read_book(package: Package, main: str) -> Book:
    """Everything but the cells. Raises as `Package.tree` does."""
    relations = package.relations(main)
    root = package.tree(main)
    sheets = tuple(
        SheetPart(attr(node, "name"), relations[key].target, attr(node, "state").endswith("idden"))
        for node in below(child(root, "sheets"), "sheet")
        if (key := _relation_id(node)) in relations and relations[key].kind == "worksheet"
    )
    parts = {relation.kind: relation.target for relation in relations.values()}
    return Book(
        sheets,
        tuple(_strings(package, parts.get("sharedStrings", ""))),
        tuple(_formats(package.tree(parts.get("styles", "")))),
        attr(child(root, "workbookPr"), "date1904").lower() in ("1", "true"),
    )


def rich_text(node: "Node") -> str:
    """The runs of a string put together, without how East Asian signs are read."""
    pieces: list[str] = []
    for inner in node:
        name = local(inner)
        if name == "t":
            pieces.append(inner.text or "")
        elif name == "r":
            pieces += [t.text or "" for t in inner if local(t) == "t"]
    return "".join(pieces)


def _strings(package: Package, part: str) -> list[str]:
    if part not in package.archive:
        return []
    with package.archive.open(part) as stream:
        return [rich_text(node) for node in stream_xml(stream, "si", part, package.damage)]


def _formats(root: "Node | None") -> list[Format]:
    codes = dict(BUILT_IN)
    for node in below(child(root, "numFmts"), "numFmt"):
        codes[number(attr(node, "numFmtId"), -1)] = attr(node, "formatCode")
    made: dict[int, Format] = {}
    formats: list[Format] = []
    for node in below(child(root, "cellXfs"), "xf"):
        key = number(attr(node, "numFmtId"))
        if key not in made:
            made[key] = read_format(codes.get(key, ""))
        formats.append(made[key])
    return formats


def _relation_id(node: "Node") -> str:
    return next((str(v) for k, v in node.attrib.items() if str(k).endswith("}id")), "")
