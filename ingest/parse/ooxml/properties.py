"""What an Office file says about itself."""

import re
from typing import Any

from ingest.parse.decode import replace_unsafe
from ingest.parse.ooxml.package import Package
from ingest.parse.titles import placeholder
from ingest.parse.xml_tree import attr, local

CORE = {
    "title": "title",
    "creator": "author",
    "subject": "description",
    "description": "description",
    "keywords": "keywords",
    "created": "date",
    "modified": "modified",
    "language": "lang",
    "category": "category",
    "contentStatus": "status",
    "version": "version",
}
_NOISE = re.compile(
    r"(?:_|MSIP_|ContentType|Grammarly|TaxKeyword|MediaService|display_urn|Order$)", re.I
)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def read_properties(package: Package) -> dict[str, Any]:
    """Core properties under the names of `CORE`, and the user's own under theirs."""
    found: dict[str, Any] = {}
    for part in package.related("", "core-properties") or ["docProps/core.xml"]:
        root = package.tree(part)
        for node in root if root is not None else ():
            key = CORE.get(local(node))
            if key:
                _keep(found, key, node.text or "")
    for part in package.related("", "custom-properties") or ["docProps/custom.xml"]:
        root = package.tree(part)
        for node in root if root is not None else ():
            key = attr(node, "name").strip()
            if key and not _NOISE.match(key):
                value = node[0] if len(node) else None
                _keep(found, key, (value.text or "") if value is not None else "")
                if key.casefold() == "acl":
                    found.setdefault(key, "")  # an empty one closes the document
    return found


def _keep(found: dict[str, Any], key: str, value: str) -> None:
    text = replace_unsafe(" ".join(value.split()))
    if key in ("date", "modified") and (day := _ISO_DAY.match(text)):
        text = day.group()
    if text and not (key in ("title", "author", "description") and placeholder(text)):
        found.setdefault(key, text)
