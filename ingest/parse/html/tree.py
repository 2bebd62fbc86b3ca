"""HTML source to a tree, however deeply nested."""

import re
from typing import TYPE_CHECKING

from ingest.words import words

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_TAG = re.compile(r"<(/?)([A-Za-z][\w:-]*)(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>")
_INLINE = words(
    """
    a abbr b bdi bdo big cite code del dfn em font i ins kbd mark nobr q s samp small span
    strike  strong sub sup tt u var
    """
)
_FLAT = words("html head body title meta link base br hr img script style p")
_XML_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def parse_tree(source: str) -> "HtmlElement | None":
    """The tree of a page, ``None`` where there is nothing in it.

    libxml2 stops at 2,048 levels and drops the rest. Such a page is flattened first: each tag of a
    block becomes the start of a paragraph, inline tags go; lines stay.
    """
    source = _XML_ILLEGAL.sub("\ufffd", source)
    tree, too_deep = _parse(source)
    if too_deep:
        tree, _ = _parse(_TAG.sub(_flat_tag, source))
    return tree


def _parse(source: str) -> tuple["HtmlElement | None", bool]:
    from lxml import etree, html

    parser = html.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, no_network=True
    )
    try:
        tree = html.document_fromstring(source.encode("utf-8"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None, False
    return tree, any("xcessive depth" in str(entry.message) for entry in parser.error_log)


def _flat_tag(match: re.Match[str]) -> str:
    closing, tag = match.group(1), match.group(2).lower()
    if tag in _FLAT and tag != "p":
        return match.group(0)
    breaks = "\n" * match.group(0).count("\n")
    if tag in _INLINE:
        return breaks
    return breaks + ("</p>" if closing else "<p>")
