"""Which documents hold on a day: dates from their metadata, and what later ones replace.

``valid_from`` and ``valid_until`` are inside; a month or a year stands for all its days. A document is
superseded from the day on which one that names it (`index.supersedes`) is valid: from its ``valid_from``,
else from its date, until its ``valid_until``. Documents that supersede each other in a circle do not.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from index.chunk_table import DocumentEntry
from index.supersedes import resolve
from ingest.about import strings_of
from kb.dates import Days, read_days
from kb.records import Validity

_DATE_KEYS = ("date", "modified")


def document_days(document: DocumentEntry) -> Days | None:
    """The document's date: its ``date``, else its ``modified``; None where neither can be read."""
    metadata = document.about.metadata
    found = (read_days(metadata.get(key)) for key in _DATE_KEYS)
    return next((days for days in found if days is not None), None)


def validities(documents: Sequence[DocumentEntry], day: date) -> list[Validity]:
    """What each document is on `day`; the first that applies: future, expired, superseded, valid."""
    replaced = _superseded(documents, day)
    return [_validity(document, day, i in replaced) for i, document in enumerate(documents)]


def _validity(document: DocumentEntry, day: date, replaced: bool) -> Validity:
    start, end = _bounds(document)
    if start is not None and day < start:
        return "future"
    if end is not None and day > end:
        return "expired"
    return "superseded" if replaced else "valid"


def _bounds(document: DocumentEntry) -> tuple[date | None, date | None]:
    metadata = document.about.metadata
    start, end = read_days(metadata.get("valid_from")), read_days(metadata.get("valid_until"))
    return (start.first if start else None), (end.last if end else None)


def _superseded(documents: Sequence[DocumentEntry], day: date) -> set[int]:
    replaces = _supersedes(documents)
    return {
        old
        for new, olds in replaces.items()
        if _holds(documents[new], day)
        for old in olds
        if not _reaches(replaces, old, new)
    }


def _holds(document: DocumentEntry, day: date) -> bool:
    start, end = _bounds(document)
    if start is None and (days := document_days(document)) is not None:
        start = days.first
    return (start is None or start <= day) and (end is None or day <= end)


def _supersedes(documents: Sequence[DocumentEntry]) -> dict[int, list[int]]:
    """Places of the documents that each one names, without itself."""
    written = (document.about.metadata.get("supersedes") for document in documents)
    naming = [
        (i, names) for i, value in enumerate(written) if value and (names := strings_of(value))
    ]
    if not naming:
        return {}
    places = {document.path: i for i, document in enumerate(documents)}
    found: dict[int, list[int]] = {}
    for i, names in naming:
        resolved = (resolve(name, documents[i].path, places) for name in names)
        found[i] = [place for place in resolved if place is not None and place != i]
    return found


def _reaches(edges: Mapping[int, Sequence[int]], start: int, goal: int) -> bool:
    seen = {start}
    ahead = [start]
    while ahead:
        for following in edges.get(ahead.pop(), ()):
            if following == goal:
                return True
            if following not in seen:
                seen.add(following)
                ahead.append(following)
    return False
