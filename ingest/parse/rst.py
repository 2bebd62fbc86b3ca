"""reStructuredText: sections and blocks by a scanner of our own.

docutils gives a line for most nodes but an end for none, and refuses or reads other files in many
directives; what is needed here is where blocks start and end, and that no input fails.
"""

import re
from typing import Any, ClassVar

from ingest import about, language
from ingest.parse.decode import decode
from ingest.parse.rst_blocks import scan
from ingest.parse.source_lines import SourceLines
from ingest.parse.titles import first_title
from kb.records import Document
from kb.settings import ParseSettings

_FIELD = re.compile(r":([A-Za-zÁÉÍÓÚáéíóúñ][\w \-]{0,40}):[ \t]+(\S.*)$")


class RstParser:
    """Sections by their adornments, blocks by blank lines and indentation.

    ``Document.text`` is the decoded file; every character that is not blank lies in an element, an
    underline with its title, a directive with its body. Nothing is included and no role is run.
    """

    version: ClassVar[int] = 3

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        text = decode(data)
        lines = SourceLines.of(text)
        rows = lines.all()
        blocks = scan(rows)
        elements = lines.elements(blocks)
        metadata = _docinfo(rows)
        h1 = next((block.title for block in blocks if block.level == 1), "")
        return Document(
            text=text,
            elements=elements,
            title=first_title([h1, metadata.get("title")], name),
            language=language.declared(metadata) or language.detect(text),
            metadata=metadata,
            warnings=(*about.oddities(metadata), *(() if elements else ("no text in it",))),
        )


def _docinfo(rows: list[str]) -> dict[str, Any]:
    """Fields (``:Date: 2024-05-01``) above the first paragraph, names in lower case."""
    found: dict[str, Any] = {}
    for row in rows[:60]:
        match = _FIELD.match(row)
        if match:
            found.setdefault(match.group(1).strip().lower(), match.group(2).strip())
        elif row.strip().lower() == ":acl:":
            found.setdefault("acl", "")  # an empty one closes the document
        elif found and row.strip():
            break
    return found
