"""HTML: the page's own text, without what surrounds it on every page."""

import re
from typing import TYPE_CHECKING, ClassVar

from ingest import about, language
from ingest.parse.decode import decode
from ingest.parse.html.clean import remove_boilerplate, remove_invisible
from ingest.parse.html.metadata import read_metadata
from ingest.parse.html.tree import parse_tree
from ingest.parse.html.walk import Walker
from ingest.parse.titles import first_title
from kb.records import Document
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from ingest.parse.extracted import ExtractedText

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]+)", re.I)
_XML_ENCODING = re.compile(rb"<\?xml[^>]{0,100}encoding\s*=\s*[\"']([A-Za-z0-9_:.\-]+)", re.I)


class HtmlParser:
    """Headings, paragraphs, lists, tables and code of a page; elements carry the source's lines.

    ``Document.text`` is extracted text. Navigation, page header and footer, asides, scripts and
    cookie banners are left out; if nothing else is there, they are the text.
    """

    version: ClassVar[int] = 3

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises: all text is HTML, however bad."""
        source = decode(data, declared_charset(data))
        tree = parse_tree(source)
        if tree is None:
            return Document(
                "", (), first_title([], name), warnings=("no text in it",), verbatim=False
            )
        metadata = read_metadata(tree)
        remove_invisible(tree)
        removed = remove_boilerplate(tree)
        built = Walker().walk(tree)
        warnings: tuple[str, ...] = ()
        if not built.elements and removed:
            built = _walk_all(parse_tree(source))
            warnings = ("nothing but navigation and the like: all of it was kept",)
        if not built.elements:
            warnings = ("no text in it",)
        text = built.text
        h1s = [text[e.start : e.end] for e in built.elements if e.level == 1]
        return Document(
            text=text,
            elements=tuple(built.elements),
            title=first_title(
                [main_heading(h1s, metadata.get("title", "")), metadata.get("title")], name
            ),
            language=language.detect(text) or language.declared(metadata),
            metadata=metadata,
            warnings=(*about.oddities(metadata), *warnings),
            verbatim=False,
        )


def declared_charset(data: bytes) -> str:
    """The charset that a page names for itself in its first 4 KiB, ``""`` when it names none."""
    head = data[:4096]
    match = _XML_ENCODING.search(head) or _CHARSET.search(head)
    return match.group(1).decode("ascii") if match else ""


def main_heading(h1s: list[str], title: str) -> str:
    """The page's own heading: of several h1, the one that ``<title>`` names first, else the first.

    Some sites set their own name as an h1 above each page's.
    """
    named = [h1 for h1 in h1s if h1 in title]
    return min(named, key=title.index) if named else next(iter(h1s), "")


def _walk_all(tree: "HtmlElement | None") -> "ExtractedText":
    if tree is None:
        return Walker().built
    remove_invisible(tree)
    return Walker().walk(tree)
