"""RTF documents."""

from typing import ClassVar

from ingest.parse.finished import finished
from ingest.parse.rtf.reader import RtfReader
from ingest.parse.rtf.tokens import tokens
from kb.errors import ParseError
from kb.records import Document
from kb.settings import ParseSettings


class RtfParser:
    """Headings by style, lists, tables, footnotes; letters of any code page.

    Pictures, hidden text and tracked deletions are left out. Page headers and footers stand once, at
    the end.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, or no RTF.
        """
        if not data.strip():
            raise ParseError("the file is empty")
        if not data.lstrip().startswith(b"{\\rtf"):
            raise ParseError("broken RTF document: it does not begin as one")
        reader = RtfReader()
        for token in tokens(data):
            reader.take(token)
        reader.finish()
        blocks = reader.blocks
        return finished(blocks.built, name, reader.metadata, (blocks.title,))
