"""What a condition may ask of a document."""

import posixpath
from collections.abc import Mapping, Sequence
from functools import lru_cache

from index.chunk_table import DocumentEntry
from index.where.nodes import Lookup
from index.where.values import fold

_fold_key = lru_cache(4096)(fold)  # documents use few keys


def type_of(document: DocumentEntry) -> str:
    """Its suffix in lower case without the dot, "" without one."""
    return posixpath.splitext(document.path)[1][1:].lower()


def lookup_in(document: DocumentEntry) -> Lookup:
    """Fields of a document by their folded name; None for those it lacks.

    They are those of its metadata, and where these have none of the name: path, title, type, language.
    ``tags`` are all tags, the source's among them.
    """
    metadata = document.about.metadata

    def lookup(name: str) -> object:
        if name == "tags":
            return list(document.about.tags) or None
        found = metadata.get(name)
        if found is None:
            found = _inside(metadata, (name,))
        if found is None and "." in name:
            found = _inside(metadata, name.split("."))
        return _own(document, name) if found is None else found

    return lookup


def _inside(value: object, steps: Sequence[str]) -> object:
    for step in steps:
        if not isinstance(value, Mapping):
            return None
        for key, inner in value.items():
            if _fold_key(key) == step:
                value = inner
                break
        else:
            return None
    return value


def _own(document: DocumentEntry, name: str) -> object:
    match name:
        case "path":
            return document.path
        case "title":
            return document.title or None
        case "language":
            return document.language or None
        case "type":
            return type_of(document) or None
    return None
