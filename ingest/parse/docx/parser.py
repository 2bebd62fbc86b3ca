"""Word documents (docx, docm, dotx, dotm)."""

from typing import ClassVar

from ingest.parse.docx.body import BodyReader
from ingest.parse.finished import finished
from ingest.parse.ooxml.package import Package
from ingest.parse.ooxml.properties import read_properties
from ingest.parse.xml_tree import child
from kb.records import Document
from kb.settings import ParseSettings


class DocxParser:
    """Headings by style or outline level, lists with their numbers, tables, text boxes, notes.

    Tracked insertions are text, deletions are not. Page headers and footers are left out, unless
    nothing else is there; so is a table of contents. Footnotes and comments stand after the block
    that they belong to.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, or locked by a password.
        """
        package = Package(data, "Word document")
        part = package.main("word/document.xml")
        reader = BodyReader(package, part)
        reader.read(child(package.tree(part), "body"))
        if not reader.built.elements:
            for kind in ("header", "footer"):
                for edge in package.related(part, kind):
                    reader.read(package.tree(edge))
        return finished(
            reader.built, name, read_properties(package), (reader.title,), reader.warnings
        )
