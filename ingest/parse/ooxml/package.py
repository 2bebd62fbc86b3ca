"""Parts of an OOXML package and how they point at each other."""

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parse.archive import Archive
from ingest.parse.xml_tree import Damage, attr, below, parse_xml
from kb.errors import ParseError

if TYPE_CHECKING:
    from lxml.etree import _Element as Node


@dataclass(frozen=True, slots=True)
class Relation:
    """A pointer from one part to another."""

    kind: str  # the last word of its type: "slide", "comments" …
    target: str  # the part's name in the container, "" where it lies outside


class Package:
    """The parts of an Office file. Transitional and strict namespaces read alike."""

    def __init__(self, data: bytes, kind: str) -> None:
        """Open the file in `data`; `kind` names the format in errors. Raises as `Archive` does."""
        self.archive = Archive(data, kind)
        self.damage = Damage()
        self._kind = kind

    def tree(self, part: str) -> "Node | None":
        """The root of a part, None where it is missing or no XML."""
        return parse_xml(self.archive.read(part), part, self.damage) if part else None

    def main(self, default: str) -> str:
        """The name of the part that holds the document; `default` is where it mostly is.

        Raises:
            ParseError: there is none.
        """
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and relation.target in self.archive:
                return relation.target
        if default not in self.archive:
            raise ParseError(f"broken {self._kind}: {default} is missing")
        return default

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part points at, by relation id; `part` is "" for the package itself."""
        folder, _, name = part.rpartition("/")
        found: dict[str, Relation] = {}
        for node in below(
            self.tree(posixpath.join(folder, "_rels", f"{name}.rels")), "Relationship"
        ):
            target = attr(node, "Target")
            if attr(node, "TargetMode") == "External":
                target = ""
            elif not target.startswith("/"):
                target = posixpath.normpath(posixpath.join(folder, target))
            kind = attr(node, "Type").rpartition("/")[2]
            found[attr(node, "Id")] = Relation(kind, target.lstrip("/"))
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """The parts of one kind that a part points at, in order."""
        return [r.target for r in self.relations(part).values() if r.kind == kind and r.target]
