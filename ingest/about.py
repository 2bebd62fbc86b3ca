"""What a document's metadata says about who may read it, when it holds, and what it is tagged with."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from kb.dates import read_days

NOBODY: tuple[str, ...] = ()
_TAG_KEYS = ("tags", "tag", "keywords")


def acl_of(metadata: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The labels that may read a document, None where its metadata names none.

    ``acl`` is a list of labels or one string with commas; the key is taken in any case. What cannot be
    read, or is empty, gives `NOBODY`: a document that was meant to be closed is never open.
    """
    values = [value for key, value in metadata.items() if key.strip().casefold() == "acl"]
    if not values:
        return None
    if len(values) > 1:
        return NOBODY
    items = values[0].split(",") if isinstance(values[0], str) else values[0]
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return NOBODY
    labels = tuple(dict.fromkeys(plain_label(item) for item in items))
    return labels if all(labels) else NOBODY


def plain_label(label: str) -> str:
    """A label as it is compared: composed (NFC), without blanks around it; case counts."""
    return unicodedata.normalize("NFC", label).strip()


def tags_of(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """``tags``, ``tag`` and ``keywords``, each a list or a string with commas, without repeats."""
    found: list[str] = []
    for key in _TAG_KEYS:
        value = metadata.get(key)
        items = value.split(",") if isinstance(value, str) else value
        found += [
            str(item).strip()
            for item in (items if isinstance(items, list) else [items])
            if isinstance(item, str | int | float) and not isinstance(item, bool)
        ]
    return tuple(dict.fromkeys(tag for tag in found if tag))


def strings_of(value: object) -> list[str]:
    """A string or a list of them, blank ones left out."""
    items: Iterable[object] = value if isinstance(value, list) else [value]
    return [item.strip() for item in items if isinstance(item, str) and item.strip()]


def oddities(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Warnings: what was meant to steer who sees the document, and cannot be read."""
    found: list[str] = []
    if acl_of(metadata) == NOBODY:
        found.append("its acl is no list of labels (acl: [group:hr]): nobody can read the document")
    spans = {key: read_days(metadata.get(key)) for key in ("valid_from", "valid_until")}
    for key, days in spans.items():
        if metadata.get(key) is not None and days is None:
            found.append(f"{key} is no date such as 2024-06-01: passed over")
    start, end = spans["valid_from"], spans["valid_until"]
    if start and end and start.first > end.last:
        found.append("valid_until lies before valid_from: it is never valid")
    written = metadata.get("supersedes")
    if written is not None and not strings_of(written):
        found.append("supersedes is no path and no list of paths: passed over")
    return tuple(found)
