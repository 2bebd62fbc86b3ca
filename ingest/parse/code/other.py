"""Source code of any language but Python: blocks, and names where their lines look like definitions."""

from typing import ClassVar

from ingest import language
from ingest.parse.code.outline import outline
from ingest.parse.code.sections import elements
from ingest.parse.decode import decode
from ingest.parse.source_lines import SourceLines
from ingest.parse.titles import title_from_name
from kb.records import Document
from kb.settings import ParseSettings


class CodeParser:
    """``Document.text`` is the decoded file; blank lines and definitions part its elements."""

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        text = decode(data)
        lines = SourceLines.of(text)
        found = elements(lines, outline(lines.all()))
        return Document(
            text=text,
            elements=found,
            title=title_from_name(name),
            language=language.detect(text),
            warnings=() if found else ("no text in it",),
        )
