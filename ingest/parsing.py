"""One file parsed, in the process that asks; what may hang or crash is for `ingest.workers`."""

from collections.abc import Iterator

from ingest.chunk.windows import windows
from ingest.parse.base import Piecemeal
from ingest.parse.sniff import choose_parser
from kb.records import Document, Element
from kb.registry import load
from kb.settings import ParseSettings


def parser_of(data: bytes, name: str) -> str:
    """The name of the parser that reads a file of these bytes and this name.

    Raises:
        ParseError: none does.
    """
    return choose_parser(name, data)


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
