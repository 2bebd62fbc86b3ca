"""XML of any vocabulary; nothing is fetched and no entity is expanded."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from ingest import language
from ingest.parse.decode import decode
from ingest.parse.html.parser import declared_charset
from ingest.parse.text import TextParser
from ingest.parse.titles import first_title
from ingest.parse.xml.walk import Walker, is_prose, local
from kb.records import Document
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from lxml.etree import _Element

_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,300}\?>")
_VALUE = re.compile(r"(?m)^[\w.\-]{1,60}: ")


class XmlParser:
    """An element that holds plain values is a record of ``name: value`` lines; prose is paragraphs.

    ``Document.text`` is extracted; elements carry the source's lines. A file that is not well-formed
    stays as text, markup and all, with a warning.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        source = decode(data, declared_charset(data))
        if not source.strip():
            return Document("", (), first_title([], name), warnings=("no text in it",))
        root, problem = _tree(source)
        if root is None:
            document = TextParser(self.settings).parse(source.encode(), name)
            return replace(document, warnings=(f"{problem}: kept as text",))
        walker = Walker(attributes=local(root) != "svg", prose=is_prose(root))
        built = walker.walk(root)
        text = built.text
        return Document(
            text=text,
            elements=tuple(built.elements),
            title=first_title([walker.title], name),
            language=language.detect(_VALUE.sub("", text[:20_000])),
            warnings=() if text else ("no text in it",),
            verbatim=False,
        )


def _tree(source: str) -> "tuple[_Element | None, str]":
    """The root, or None and what is wrong with the source."""
    from lxml import etree

    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    declaration = _DECLARATION.match(source)
    body = source[declaration.end() :] if declaration else source
    lead = "\n" * source.count("\n", 0, declaration.end()) if declaration else ""
    try:
        return etree.fromstring((lead + body).encode(), parser), ""
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f" (line {line})" if line else ""
        return None, f"not well-formed XML{where}"
