"""EPUB books, versions 2 and 3."""

from dataclasses import dataclass
from typing import ClassVar

from ingest.parse.decode import decode
from ingest.parse.epub.book import Book, Chapter
from ingest.parse.extracted import Box, ExtractedText
from ingest.parse.finished import finished
from ingest.parse.html.clean import drop, remove_invisible
from ingest.parse.html.parser import declared_charset
from ingest.parse.html.tree import parse_tree
from ingest.parse.html.walk import HEADINGS, Walker
from kb.records import Document, ElementKind
from kb.settings import ParseSettings


class EpubParser:
    """The chapters in reading order, each through the walker of web pages.

    A chapter without a heading of its own has the name that the table of contents gives it; that
    table itself is no text.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, or locked by DRM.
        """
        book = Book(data)
        built = _WithoutLines()
        for chapter in book.chapters():
            _read(book, chapter, built)
        metadata = book.metadata()
        return finished(built, name, metadata, (metadata.get("title"),))


@dataclass(slots=True)
class _WithoutLines(ExtractedText):
    """A book has no lines to cite: those of its files are nobody's."""

    def add(
        self,
        kind: ElementKind,
        text: str,
        *,
        level: int = 0,
        title: str = "",
        lines: tuple[int, int] | None = None,
        page: int | None = None,
        bbox: Box | None = None,
    ) -> None:
        """See `ExtractedText.add`."""
        ExtractedText.add(self, kind, text, level=level, title=title, page=page, bbox=bbox)


def _read(book: Book, chapter: Chapter, built: ExtractedText) -> None:
    data = book.read(chapter.part)
    tree = parse_tree(decode(data, declared_charset(data)))
    if tree is None:
        return
    drop(list(tree.iter("nav")))
    remove_invisible(tree)
    headed = next(tree.iter(*HEADINGS), None) is not None
    if chapter.label and not headed and "".join(tree.itertext()).strip():
        built.add("heading", chapter.label, level=chapter.level)
    Walker(built).walk(tree)
