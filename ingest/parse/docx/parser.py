"""Word documents (docx, docm, dotx, dotm)."""

from collections.abc import Iterator
from typing import ClassVar

from ingest.parse.docx.body import BodyReader
from ingest.parse.docx.inline import read_inline
from ingest.parse.finished import finished
from ingest.parse.ooxml.package import Package
from ingest.parse.ooxml.properties import read_properties
from ingest.parse.page_edges import add_edges
from ingest.parse.xml_tree import below, child
from kb.records import Document
from kb.settings import ParseSettings

_TEXT_TO_HEADINGS = 2  # blocks there must be for each that is guessed to be a heading


class DocxParser:
    """Headings, lists with their numbers, tables, text boxes, notes.

    Headings go by style or outline level; where none has one, short bold lines are taken for them.
    Tracked insertions are text, deletions are not. Page headers and footers stand once, at the
    end; a table of contents is left out. Footnotes and comments stand after the block
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
        body = child(package.tree(part), "body")
        reader = BodyReader(package, part)
        reader.read(body)
        if not any(element.kind == "heading" for element in reader.built.elements):
            guessed = BodyReader(package, part, guess=True)
            guessed.read(body)
            kinds = [element.kind for element in guessed.built.elements]
            if 0 < kinds.count("heading") * _TEXT_TO_HEADINGS <= len(kinds):
                reader = guessed
        add_edges(reader.built, _edges(package, part))
        warnings = (*reader.warnings, *package.damage.warnings)
        return finished(reader.built, name, read_properties(package), (reader.title,), warnings)


def _edges(package: Package, part: str) -> Iterator[str]:
    """The lines of page headers and footers, those of text boxes in them apart."""
    for kind in ("header", "footer"):
        for edge in package.related(part, kind):
            for paragraph in below(package.tree(edge), "p"):
                yield read_inline(paragraph).text
