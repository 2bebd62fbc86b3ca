"""The last step of parsers that extract text."""

from collections.abc import Iterable
from typing import Any

from ingest import about, language
from ingest.parse.extracted import ExtractedText
from ingest.parse.titles import first_title, sensible
from kb.records import Document


def finished(
    built: ExtractedText,
    name: str,
    metadata: dict[str, Any],
    titles: Iterable[object] = (),
    warnings: Iterable[str] = (),
) -> Document:
    """The document of what was extracted.

    Its title is the first sensible one of `titles`, the metadata's, and a heading among the first
    three elements.
    """
    text = built.text
    opening = (text[e.start : e.end] for e in built.elements[:3] if e.kind == "heading")
    empty = () if built.elements else ("no text in it",)
    return Document(
        text=text,
        elements=tuple(built.elements),
        title=first_title(map(sensible, (*titles, metadata.get("title"), *opening)), name),
        language=language.detect(text) or language.declared(metadata),
        metadata=metadata,
        warnings=(*about.oddities(metadata), *warnings, *empty),
        verbatim=False,
    )
