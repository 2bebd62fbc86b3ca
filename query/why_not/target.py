"""What somebody misses: rows of the generation, or a file that has none."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.errors import UsageError
from kb.location import Location
from query.place import Place, read_place

Mask = NDArray[np.bool_]
Rows = NDArray[np.int64]


def rows_of(reader: GenerationReader, location: Location, what: str, open_rows: Mask) -> Rows:
    """Rows of a document, a line or a page of it, or a chunk; none where nothing is named.

    What may not be read is not there.

    Args:
        reader: the generation.
        location: of the KB; a path may be relative to the working folder or as hits name it.
        what: a path, ``PATH:LINE``, ``PATH#page=N``, or an id or its beginning.
        open_rows: rows that may be read, bool (n,).

    Raises:
        UsageError: the beginning of several ids, or a line that no chunk holds.
    """
    whole = _rows_of_document(reader, location, what, open_rows)
    if whole is not None:
        return whole
    if place := read_place(what):
        return _rows_of_place(reader, location, what, place, open_rows)
    if not is_id(what):
        return np.zeros(0, np.int64)
    return _rows_of_id(reader, what, open_rows)


def _rows_of_document(
    reader: GenerationReader, location: Location, what: str, open_rows: Mask
) -> Rows | None:
    written = {what, location.written(Path(what))}
    chunks = reader.chunks
    for number, document in enumerate(chunks.documents):
        if document.path in written:
            first, end = chunks.rows(number)
            return first + np.flatnonzero(open_rows[first:end])
    return None


def _rows_of_place(
    reader: GenerationReader, location: Location, what: str, place: Place, open_rows: Mask
) -> Rows:
    rows = _rows_of_document(reader, location, place.path, open_rows)
    if rows is None or len(rows) == 0:
        return np.zeros(0, np.int64)
    found = [int(row) for row in rows if place.is_in(reader.chunks[int(row)])]
    if not found:
        raise UsageError(
            f"--why-not: the index holds nothing of {what!r}: leave the {place.kind} out"
        )
    return np.asarray(found, np.int64)


def _rows_of_id(reader: GenerationReader, what: str, open_rows: Mask) -> Rows:
    chunks = reader.chunks
    found = [int(r) for r in np.flatnonzero(open_rows) if chunks[int(r)].id.startswith(what)]
    if len(found) > 1:
        raise UsageError(
            f"--why-not: {what!r} is the start of {len(found)} chunks' ids: write more of it"
        )
    return np.asarray(found, np.int64)


def is_id(what: str) -> bool:
    """Whether it can only be meant as the id of a chunk, or its start."""
    return len(what) >= 6 and set(what) <= set("0123456789abcdef")
