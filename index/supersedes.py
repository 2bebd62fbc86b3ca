"""What a document says it replaces.

``supersedes`` holds a path or a list of paths, looked for from the document's own folder and then from
each folder above it, up to the KB's home.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from index.chunk_table import DocumentEntry
from ingest.about import strings_of


def unresolved(documents: Sequence[DocumentEntry]) -> Iterator[tuple[str, str]]:
    """Each document's path with a name that it supersedes and that no document has."""
    places = {document.path: i for i, document in enumerate(documents)}
    for document in documents:
        for name in strings_of(document.about.metadata.get("supersedes")):
            if resolve(name, document.path, places) is None:
                yield document.path, name


def resolve(name: str, path: str, places: Mapping[str, int]) -> int | None:
    """The document that `name`, written in the one at `path`, means; None where there is none."""
    return next((places[p] for p in _meanings(name, path) if p in places), None)


def _meanings(name: str, path: str) -> Iterator[str]:
    if name.startswith("/"):
        yield posixpath.normpath(name)
        return
    folder = posixpath.dirname(path)
    while True:
        yield posixpath.normpath(posixpath.join(folder, name))
        if folder in ("", "/"):
            return
        folder = posixpath.dirname(folder)
