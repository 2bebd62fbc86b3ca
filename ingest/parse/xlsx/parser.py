"""Excel workbooks (xlsx, xlsm, xltx)."""

from collections.abc import Iterator
from typing import ClassVar

from ingest.parse.extracted import ExtractedText
from ingest.parse.finished import finished
from ingest.parse.ooxml.chart import drawn_text, read_chart
from ingest.parse.ooxml.package import Package
from ingest.parse.ooxml.properties import read_properties
from ingest.parse.xlsx.book import Book, SheetPart, read_book, rich_text
from ingest.parse.xlsx.regions import add_regions
from ingest.parse.xlsx.sheet import Row, SheetReader
from ingest.parse.xml_tree import attr, below, child
from kb.records import Document
from kb.settings import ParseSettings

MOST_CHARACTERS = 100_000_000


class XlsxParser:
    """A sheet is a heading and a page; its rows are tables whose header stands in each piece.

    Cells read as they are shown, formulas by their stored results. Only rows that are really there
    are walked. Hidden sheets are read, and named in a warning.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, too large to be true, or locked by a password.
        """
        package = Package(data, "Excel workbook")
        book = read_book(package, package.main("xl/workbook.xml"))
        built = ExtractedText()
        warnings: list[str] = []
        for page, sheet in enumerate(book.sheets, 1):
            _sheet(built, package, book, sheet, page, warnings)
        hidden = [sheet.name for sheet in book.sheets if sheet.hidden]
        if hidden:
            warnings.append(f"hidden sheets: {', '.join(hidden)}")
        warnings += package.damage.warnings
        return finished(built, name, read_properties(package), (), warnings)


def _sheet(
    built: ExtractedText,
    package: Package,
    book: Book,
    sheet: SheetPart,
    page: int,
    warnings: list[str],
) -> None:
    if sheet.part not in package.archive:
        return
    built.add("heading", sheet.name, level=1, page=page)
    reader = SheetReader(package, book, sheet.part)
    add_regions(built, _bounded(reader, built, sheet.name, warnings), reader.merges(), page)
    _drawings(built, package, sheet.part, page)
    for text in _comments(package, sheet.part):
        built.add("note", text, page=page)
    if reader.uncomputed:
        warnings.append(
            f"sheet {sheet.name}: formulas without a stored result: {reader.uncomputed}; "
            "open and save the file in a spreadsheet program"
        )
    if built.elements and built.elements[-1].kind == "heading":
        built.take_back()


def _bounded(
    reader: SheetReader, built: ExtractedText, name: str, warnings: list[str]
) -> Iterator[tuple[int, Row]]:
    for number, row in reader.rows():
        if built.length > MOST_CHARACTERS:
            warnings.append(f"sheet {name}: read up to row {number} only, the rest is too much")
            return
        yield number, row


def _drawings(built: ExtractedText, package: Package, part: str, page: int) -> None:
    """Text boxes and charts that lie over the cells."""
    for drawing in package.related(part, "drawing"):
        root = package.tree(drawing)
        for shape in below(root, "sp"):
            built.add("paragraph", drawn_text(child(shape, "txBody")), page=page)
        for chart in package.related(drawing, "chart"):
            tree = package.tree(chart)
            if tree is not None:
                title, _ = read_chart(tree)  # its numbers are those of the cells
                built.add("caption", title, page=page)


def _comments(package: Package, part: str) -> Iterator[str]:
    threads = package.related(part, "threadedComment")
    for target in threads:
        for node in below(package.tree(target), "threadedComment"):
            yield _note(attr(node, "ref"), "".join(t.text or "" for t in below(node, "text")))
    for target in package.related(part, "comments") if not threads else ():
        for node in below(package.tree(target), "comment"):
            text = child(node, "text")
            yield _note(attr(node, "ref"), rich_text(text) if text is not None else "")


def _note(cell: str, text: str) -> str:
    text = " ".join(text.split())
    return f"{cell}: {text}" if text else ""
