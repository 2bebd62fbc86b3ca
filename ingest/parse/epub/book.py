"""The parts of an EPUB: metadata, reading order, table of contents."""

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ingest.parse.archive import Archive
from ingest.parse.decode import replace_unsafe
from ingest.parse.titles import placeholder
from ingest.parse.xml_tree import attr, below, child, local, parse_xml
from ingest.words import words
from kb.errors import ParseError

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

KIND = "EPUB book"
FIELDS = {
    "title": "title",
    "creator": "author",
    "description": "description",
    "subject": "keywords",
    "date": "date",
    "language": "lang",
    "publisher": "publisher",
    "identifier": "identifier",
}
_MANY = ("author", "keywords")
_TEXTS = words("application/xhtml+xml text/html application/x-dtbook+xml text/x-oeb1-document")
# Fonts that are only made unfit for other uses; the text of such a book is open.
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A file of the reading order."""

    part: str
    label: str  # what the table of contents calls it, "" where it does not
    level: int  # in that table, from 1


class Book:
    """An opened EPUB."""

    def __init__(self, data: bytes) -> None:
        """Open the book in `data`.

        Raises:
            ParseError: empty, damaged, without a package document, or locked.
        """
        self._archive = Archive(data, KIND)
        self._opf = self._package_name()
        self._root = parse_xml(self._archive.read(self._opf))
        if self._root is None:
            raise ParseError(f"broken {KIND}: its package document cannot be read")
        self._folder = posixpath.dirname(self._opf)
        self._items = {attr(i, "id"): i for i in below(child(self._root, "manifest"), "item")}

    def read(self, part: str) -> bytes:
        """The bytes of a chapter."""
        return self._archive.read(part) or b""

    def chapters(self) -> list[Chapter]:
        """The files of the reading order, without the table of contents.

        Raises:
            ParseError: they are locked by DRM.
        """
        spine = child(self._root, "spine")
        items = (self._items.get(attr(ref, "idref")) for ref in below(spine, "itemref"))
        labels = self._labels(attr(spine, "toc"))
        parts: dict[str, tuple[str, int]] = {}
        for item in items:
            if (
                item is not None
                and _is_text(item)
                and "nav" not in attr(item, "properties").split()
            ):
                part = self._name(attr(item, "href"), self._folder)
                if part in self._archive:
                    parts.setdefault(part, labels.get(part, ("", 1)))
        self._insist_open(set(parts))
        return [Chapter(part, label, level) for part, (label, level) in parts.items()]

    def metadata(self) -> dict[str, Any]:
        """What `FIELDS` lists; several authors or subjects with commas between."""
        found: dict[str, Any] = {}
        listed = child(self._root, "metadata")
        for node in listed if listed is not None else ():
            key = FIELDS.get(local(node), "")
            text = replace_unsafe(" ".join("".join(map(str, node.itertext())).split()))
            if not key or not text or placeholder(text):
                continue
            if key == "date":
                text = text[:10]
            if key in _MANY and key in found:
                found[key] += f", {text}"
            found.setdefault(key, text)
        return found

    def _package_name(self) -> str:
        container = parse_xml(self._archive.read("META-INF/container.xml"))
        for node in below(container, "rootfile"):
            if attr(node, "full-path") in self._archive:
                return attr(node, "full-path")
        found = next((name for name in self._archive.names if name.endswith(".opf")), None)
        if found is None:
            raise ParseError(f"broken {KIND}: it has no package document")
        return found

    def _insist_open(self, parts: set[str]) -> None:
        for node in below(
            parse_xml(self._archive.read("META-INF/encryption.xml")), "EncryptedData"
        ):
            method = attr(child(node, "EncryptionMethod"), "Algorithm")
            uris = {self._name(attr(ref, "URI"), "") for ref in below(node, "CipherReference")}
            if method not in _FONT_ALGORITHMS and uris & parts:
                raise ParseError(f"{KIND} locked by DRM: only the shop's own reader can open it")

    def _labels(self, ncx_id: str) -> dict[str, tuple[str, int]]:
        """What the table of contents calls each file, and how deep; the first entry of a file counts."""
        found: dict[str, tuple[str, int]] = {}
        ncx = self._items.get(ncx_id)
        if ncx is not None:
            part, root = self._part(ncx)
            for node in below(root, "navPoint"):
                target = attr(child(node, "content"), "src")
                self._label(found, part, target, child(node, "navLabel"), _depth(node, "navPoint"))
        for item in self._items.values():
            if not found and "nav" in attr(item, "properties").split():
                part, root = self._part(item)
                for node in below(next(below(root, "nav"), None), "a"):
                    self._label(found, part, attr(node, "href"), node, _depth(node, "ol"))
        return found

    def _part(self, item: "Node") -> "tuple[str, Node | None]":
        part = self._name(attr(item, "href"), self._folder)
        return part, parse_xml(self._archive.read(part))

    def _label(
        self,
        found: dict[str, tuple[str, int]],
        base: str,
        href: str,
        shown: "Node | None",
        level: int,
    ) -> None:
        label = " ".join("".join(map(str, shown.itertext())).split()) if shown is not None else ""
        part = self._name(href.partition("#")[0], posixpath.dirname(base))
        if label:
            found.setdefault(part, (label, min(max(level, 1), 6)))

    def _name(self, href: str, folder: str) -> str:
        return posixpath.normpath(posixpath.join(folder, unquote(href))).lower()


def _is_text(item: "Node") -> bool:
    kind = attr(item, "media-type").lower()
    return kind in _TEXTS or attr(item, "href").lower().endswith((".xhtml", ".html", ".htm"))


def _depth(node: "Node", name: str) -> int:
    own = int(local(node) == name)
    return own + sum(1 for above in node.iterancestors(f"{{*}}{name}"))
