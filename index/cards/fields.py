"""What a card can ask of a document besides its metadata: where it lies, and parts of its dates."""

import posixpath
from collections.abc import Callable, Mapping, Sequence

from index.chunk_table import DocumentEntry
from index.fields import lookup_in
from index.validity import document_days
from index.where.nodes import Lookup
from kb.dates import Days, read_days

OWN = ("tags", "type", "language", "folder", "source", "year", "month", "title", "path")
PARTS = ("year", "month")  # of a date: FIELD:year


def document_lookup(entry: DocumentEntry, source: Callable[[str], str]) -> Lookup:
    """Fields of a document by their folded name; None for those it lacks.

    Beyond those of `index.fields.lookup_in`: ``folder``, ``source`` (where the KB follows it from),
    ``year`` and ``month`` (of its date), and ``FIELD:year``, ``FIELD:month``.
    """
    own = lookup_in(entry)

    def lookup(name: str) -> object:
        found = own(name)
        if found is not None:
            return found
        match name:
            case "folder":
                return posixpath.dirname(entry.path) or "."
            case "source":
                return source(entry.path)
            case "year" | "month":
                return _part(document_days(entry), name)
        return None

    return with_parts(lookup)


def with_parts(lookup: Lookup) -> Lookup:
    """`lookup` that knows ``FIELD:year`` and ``FIELD:month``, too."""

    def parts(name: str) -> object:
        found = lookup(name)
        field, colon, part = name.rpartition(":")
        if found is not None or not colon or part not in PARTS:
            return found
        value = lookup(field)
        if isinstance(value, list):
            return [x for item in value if (x := _part(read_days(item), part))] or None
        return _part(read_days(value), part)

    return parts


def first_of(fields: Mapping[str, object], then: Lookup) -> Lookup:
    """`fields` by their folded names, and what `then` knows besides."""

    def lookup(name: str) -> object:
        found = fields.get(name)
        return then(name) if found is None else found

    return lookup


def source_finder(roots: Sequence[str]) -> Callable[[str], str]:
    """The root that a path lies under, the longest of them; the path's folder where there is none."""
    longest = sorted(roots, key=len, reverse=True)

    def source(path: str) -> str:
        under = (root for root in longest if path == root or path.startswith(f"{root}/"))
        return next(under, posixpath.dirname(path) or ".")

    return source


def _part(days: Days | None, part: str) -> str | None:
    if days is None:
        return None
    first, last = days.first, days.last
    if part == "year":
        return f"{first.year:04}"
    return f"{first.year:04}-{first.month:02}" if first.month == last.month else None
