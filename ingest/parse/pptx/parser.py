"""PowerPoint presentations (pptx, pptm, ppsx, potx)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from ingest.parse.extracted import ExtractedText
from ingest.parse.finished import finished
from ingest.parse.ooxml.package import Package
from ingest.parse.ooxml.properties import read_properties
from ingest.parse.pptx.shapes import ShapeReader, paragraphs, placeholder
from ingest.parse.xml_tree import attr, below, child
from kb.records import Document
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

KIND = "PowerPoint presentation"
_NUMBER = re.compile(r"(\d+)\.xml$")


class PptxParser:
    """A slide is a page; its title is a heading, its notes and comments stand after it.

    Hidden slides are read, and named in a warning.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, or locked by a password.
        """
        package = Package(data, KIND)
        main = package.main("ppt/presentation.xml")
        built = ExtractedText()
        hidden: list[str] = []
        title = ""
        for page, part in enumerate(_slides(package, main), 1):
            root = package.tree(part)
            if root is None:
                continue
            if attr(root, "show").lower() in ("0", "false"):
                hidden.append(str(page))
            found, opens = _slide(built, package, part, root, page)
            title = title or (found if opens else "")
        warnings = [f"hidden slides: {', '.join(hidden)}"] if hidden else []
        warnings += package.damage.warnings
        return finished(built, name, read_properties(package), (title,), warnings)


def _slides(package: Package, main: str) -> list[str]:
    """The slides' parts in the order they are shown; by number where that order is lost."""
    relations = package.relations(main)
    listed = [
        relations[key].target
        for node in below(package.tree(main), "sldId")
        if (key := _relation_id(node)) in relations
    ]
    if listed:
        return listed
    folder = [n for n in package.archive.names if re.fullmatch(r"ppt/slides/slide\d+\.xml", n)]
    return sorted(folder, key=lambda n: int(match.group(1)) if (match := _NUMBER.search(n)) else 0)


def _relation_id(node: "Node") -> str:
    """``r:id``, which stands beside an ``id`` of its own."""
    return next((str(v) for k, v in node.attrib.items() if str(k).endswith("}id")), "")


def _slide(
    built: ExtractedText, package: Package, part: str, root: "Node", page: int
) -> tuple[str, bool]:
    """Appends a slide; gives its title and whether it opens the presentation or a part of it."""
    tree = child(root, "cSld", "spTree")
    opens = tree is not None and any(attr(ph, "type") == "ctrTitle" for ph in below(tree, "ph"))
    built.close_sections(1 if opens else 2)
    relations = package.relations(part)
    title = ShapeReader(built, package, relations, page).read(tree, 1 if opens else 2)
    for relation in relations.values():
        if relation.kind == "notesSlide":
            for text in _notes(package.tree(relation.target)):
                built.add("note", text, page=page)
        elif relation.kind in ("comments", "comment"):
            for text in _comments(package.tree(relation.target)):
                built.add("note", text, page=page)
    return title, opens


def _notes(root: "Node | None") -> Iterator[str]:
    for shape in below(root, "sp"):
        if placeholder(shape) == "body":
            yield "\n".join(paragraphs(child(shape, "txBody"), bulleted=False))


def _comments(root: "Node | None") -> Iterator[str]:
    for comment in below(root, "cm", "reply"):
        body = child(comment, "txBody")
        text = child(comment, "text")
        lines = paragraphs(body, bulleted=False)
        yield (text.text or "").strip() if text is not None else "\n".join(lines)
