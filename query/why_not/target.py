"""What somebody misses: rows of the generation, or a file that has none."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from index.reader import GenerationReader
from kb.errors import UsageError
from kb.location import Location

Mask = NDArray[np.bool_]


def rows_of(
    reader: GenerationReader, location: Location, what: str, open_rows: Mask
) -> NDArray[np.int64]:
    """Rows of the document at a path, else of the chunk whose id begins so; none where nothing is named.

    What may not be read is not there.

    Args:
        reader: the generation.
        location: of the KB; a path may be relative to the working folder or as hits name it.
        what: a path or an id.
        open_rows: rows that may be read, bool (n,).

    Raises:
        UsageError: the beginning of several ids.
    """
    written = {what, location.written(Path(what))}
    chunks = reader.chunks
    for number, document in enumerate(chunks.documents):
        if document.path in written:
            first, end = chunks.rows(number)
            return first + np.flatnonzero(open_rows[first:end])
    if not is_id(what):
        return np.zeros(0, np.int64)
    found = [int(r) for r in np.flatnonzero(open_rows) if chunks[int(r)].id.startswith(what)]
    if len(found) > 1:
        raise UsageError(
            f"--why-not: {what!r} is the start of {len(found)} chunks' ids: write more of it"
        )
    return np.asarray(found, np.int64)


def is_id(what: str) -> bool:
    """Whether it can only be meant as the id of a chunk, or its start."""
    return len(what) >= 6 and set(what) <= set("0123456789abcdef")
