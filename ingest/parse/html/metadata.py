"""What a page says about itself in its head."""

from typing import TYPE_CHECKING, Any

from ingest.parse.decode import replace_unsafe

if TYPE_CHECKING:
    from lxml.html import HtmlElement

NAMES = {
    "description": "description",
    "og:description": "description",
    "author": "author",
    "article:author": "author",
    "dc.creator": "author",
    "date": "date",
    "dc.date": "date",
    "dcterms.date": "date",
    "article:published_time": "date",
    "last-modified": "modified",
    "article:modified_time": "modified",
    "keywords": "keywords",
    "og:title": "title",
    "dc.title": "title",
    "acl": "acl",
    "valid_from": "valid_from",
    "valid_until": "valid_until",
    "supersedes": "supersedes",
}


def read_metadata(tree: "HtmlElement") -> dict[str, Any]:
    """What `NAMES` lists, and title and lang: those there are, as strings."""
    found: dict[str, Any] = {}
    title = next(tree.iter("title"), None)
    if title is not None:
        _keep(found, "title", "".join(title.itertext()))
    _keep(found, "lang", tree.get("lang") or tree.get("xml:lang") or "")
    for meta in tree.iter("meta"):
        name = meta.get("name") or meta.get("property") or meta.get("itemprop") or ""
        key = NAMES.get(name.lower())
        if key:
            _keep(found, key, meta.get("content") or "")
            if key == "acl":
                found.setdefault(key, "")  # an empty one closes the page
    return found


def _keep(found: dict[str, Any], key: str, value: str) -> None:
    value = replace_unsafe(" ".join(value.split()))
    if value:
        found.setdefault(key, value)
