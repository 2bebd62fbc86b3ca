"""OpenDocument text, spreadsheets and presentations, packed or flat."""

from typing import TYPE_CHECKING, ClassVar

from ingest.parse.extracted import ExtractedText
from ingest.parse.finished import finished
from ingest.parse.odf.file import OdfFile
from ingest.parse.odf.inline import SHAPES, plain_text, read_inline
from ingest.parse.odf.sheets import SheetsReader
from ingest.parse.odf.styles import Styles
from ingest.parse.odf.text import TextReader
from ingest.parse.page_edges import add_edges
from ingest.parse.xml_tree import attr, below, child, local
from kb.records import Document
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from lxml.etree import _Element as Node


class OdtParser:
    """Headings by outline level, lists, tables, text boxes; notes stand after their block.

    What was deleted under change tracking is no text, nor is a table of contents. Page headers and
    footers stand once, at the end.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, or locked by a password.
        """
        file = OdfFile(data, "OpenDocument text")
        content = file.tree("content.xml")
        built = ExtractedText()
        styles = file.tree("styles.xml")
        reader = TextReader(built, Styles(content, styles))
        edges: list[str] = []
        reader.read(child(content, "body", "text"))
        for edge in below(styles, "header", "footer", "header-first", "footer-first"):
            edges += [read_inline(p).text for p in below(edge, "p")]
        add_edges(built, edges)
        return finished(built, name, file.metadata(), (reader.title,), file.damage.warnings)


class OdsParser:
    """A sheet is a heading and a page; cells read as they are shown. See `XlsxParser`."""

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Raises as `OdtParser.parse`."""
        file = OdfFile(data, "OpenDocument spreadsheet")
        built = ExtractedText()
        SheetsReader(built).read(file)
        return finished(built, name, file.metadata(), (), file.damage.warnings)


class OdpParser:
    """A slide is a page; its title is a heading, its notes stand after it. See `PptxParser`."""

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Raises as `OdtParser.parse`."""
        file = OdfFile(data, "OpenDocument presentation")
        content = file.tree("content.xml")
        styles = Styles(content, file.tree("styles.xml"))
        built = ExtractedText()
        hidden: list[str] = []
        slides = child(content, "body", "presentation")
        pages = [node for node in (slides if slides is not None else ()) if local(node) == "page"]
        for number, page in enumerate(pages, 1):
            if styles.is_hidden(attr(page, "style-name")):
                hidden.append(str(number))
            _slide(page, TextReader(built, styles, number), built, number)
        warnings = [f"hidden slides: {', '.join(hidden)}"] if hidden else []
        warnings += file.damage.warnings
        return finished(built, name, file.metadata(), (), warnings)


def _slide(page: "Node", reader: TextReader, built: ExtractedText, number: int) -> None:
    shapes = [node for node in page if local(node) in SHAPES]
    titled = next((shape for shape in shapes if attr(shape, "class") == "title"), None)
    built.close_sections()
    if titled is not None:
        built.add("heading", plain_text(titled), level=1, page=number)
    for shape in shapes:
        if shape is not titled:
            reader.shape(shape)
    notes = child(page, "notes")
    for shape in notes if notes is not None else ():
        built.add("note", plain_text(shape), page=number)
