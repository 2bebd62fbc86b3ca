"""An OpenDocument file, packed in a zip or flat in one XML."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any

from ingest.parse.archive import Archive
from ingest.parse.decode import replace_unsafe
from ingest.parse.titles import placeholder
from ingest.parse.xml_tree import Damage, attr, below, child, local, parse_xml
from kb.errors import ParseError

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

META = {
    "title": "title",
    "creator": "author",
    "initial-creator": "author",
    "subject": "description",
    "description": "description",
    "creation-date": "date",
    "date": "modified",
    "language": "lang",
}


class OdfFile:
    """The parts of an OpenDocument file."""

    def __init__(self, data: bytes, kind: str) -> None:
        """Open the file in `data`; `kind` names the format in errors.

        Raises:
            ParseError: empty, damaged, or locked by a password.
        """
        self._kind = kind
        self._data = data
        self.damage = Damage()
        self._archive = Archive(data, kind) if not _is_flat(data) else None
        if self._archive is not None:
            manifest = parse_xml(self._archive.read("META-INF/manifest.xml"))
            if next(below(manifest, "encryption-data"), None) is not None:
                raise ParseError(f"{kind} locked by a password: save it without one")
            if "content.xml" not in self._archive:
                raise ParseError(f"broken {kind}: content.xml is missing")

    def tree(self, part: str) -> "Node | None":
        """The root of ``content.xml``, ``styles.xml`` or ``meta.xml``; of a flat file its only one."""
        data = self._data if self._archive is None else self._archive.read(part)
        return parse_xml(data, part, self.damage)

    def body(self, name: str) -> "Node | None":
        """The text, the presentation: what the body holds under this name."""
        return child(self.tree("content.xml"), "body", name)

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """The bytes of ``content.xml``."""
        if self._archive is None:
            yield BytesIO(self._data)
            return
        with self._archive.open("content.xml") as stream:
            yield stream

    def metadata(self) -> dict[str, Any]:
        """What `META` lists, keywords, and the user's own fields under their names."""
        found: dict[str, Any] = {}
        keywords: list[str] = []
        meta = next(below(self.tree("meta.xml"), "meta"), None)
        for node in meta if meta is not None else ():
            name, text = local(node), replace_unsafe(" ".join((node.text or "").split()))
            key = attr(node, "name") if name == "user-defined" else META.get(name, "")
            if key.casefold() == "acl":
                found.setdefault(key, text)  # an empty one closes the document
            elif name == "keyword" and text:
                keywords.append(text)
            elif key and text and not placeholder(text):
                if key in ("date", "modified"):
                    text = text[:10]
                found[key] = text if name == "creator" else found.get(key, text)
        if keywords:
            found["keywords"] = ", ".join(keywords)
        return found


def _is_flat(data: bytes) -> bool:
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
