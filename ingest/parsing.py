"""One file parsed, in the process that asks; what may hang or crash is for `ingest.workers`."""

from collections.abc import Iterator
from pathlib import Path

from ingest.chunk.windows import windows
from ingest.parse.base import Piecemeal
from kb.errors import UsageError
from kb.records import Document, Element
from kb.registry import load
from kb.settings import ParseSettings


def bytes_of(file: Path) -> bytes:
    """A file's bytes.

    Raises:
        UsageError: it cannot be opened.
    """
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from error


def parse_bytes(data: bytes, parser: str, settings: ParseSettings) -> Document:
    """The whole document. Raises as `begin` does."""
    document: Document = load("parser", parser)(settings).parse(data, "")
    return document


def begin(data: bytes, parser: str, settings: ParseSettings) -> tuple[Document, Iterator[Document]]:
    """A document, with or without its elements, and the parts that it is kept in, made one by one.

    Its title never comes from the file's name.

    Raises:
        ParseError: it cannot be read as a document.
        Unavailable: what would read it is not installed.
    """
    loaded = load("parser", parser)(settings)
    elements: Iterator[Element] | None = None
    if isinstance(loaded, Piecemeal):
        document, elements = loaded.begin(data, "")
    else:
        document = loaded.parse(data, "")
    return document, (window.document for window in windows(document, elements=elements))
