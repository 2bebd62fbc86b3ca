"""Checks of what a generation holds: components that agree, chunks that are what they say."""

from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from index.derived.reader import DerivedReader, has_derived
from index.health.base import Checkup, Finding, Remedy
from index.health.files import FIX
from index.reader import GenerationReader
from index.supersedes import unresolved
from kb.errors import Unavailable
from kb.store import FileRow, Store

_BLOCK = 4096  # vectors looked at together


def rows(checkup: Checkup) -> Iterator[Finding]:
    """Chunks, vectors, BM25, tokens and engine have the rows that the manifest says."""
    reader = checkup.reader
    if reader is None:
        return
    with reader.blaming_damage():
        tokens = reader.tokens
        counts = {
            "chunks": len(reader.chunks),
            "vectors": len(reader.vectors),
            "bm25": len(reader.bm25),
            **({"tokens": len(tokens)} if tokens is not None else {}),
        }
        width = reader.vectors.shape[1]
        with suppress(Unavailable):  # told by `parts.engine`
            _ = reader.engine  # loads only over as many vectors as it was built from
    wanted = reader.manifest.chunks
    for name, count in counts.items():
        if count != wanted:
            yield _wrong(reader, f"{name} has {count} rows, the manifest says {wanted}")
    if width != reader.manifest.dimension:
        yield _wrong(reader, f"vectors are {width}-d, not {reader.manifest.dimension}-d")
    for warning in reader.warnings:
        yield Finding(warning, FIX, Remedy.BUILD)


def derived(checkup: Checkup) -> Iterator[Finding]:
    """Derived chunks have the rows that each other have, and stand on leaves that are there."""
    reader = checkup.reader
    if reader is None or not has_derived(reader):
        return
    own = DerivedReader(reader)
    count, leaves = len(own.chunks), len(reader)
    counts = {"vectors": len(own.vectors), "bm25": len(own.bm25), "standing": len(own.standing)}
    for name, rows in counts.items():
        if rows != count:
            yield _wrong(reader, f"derived {name} has {rows} rows, there are {count} chunks")
    if (
        len(own.standing.rows)
        and not 0 <= own.standing.rows.min() <= own.standing.rows.max() < leaves
    ):
        yield _wrong(reader, f"a derived chunk stands on a row that is not among {leaves}")
    if any(chunk.kind == "text" for chunk in own.chunks):
        yield _wrong(reader, "a leaf is among the derived chunks")


def supersedes(checkup: Checkup) -> Iterator[Finding]:
    """What a document says it supersedes is there."""
    reader = checkup.reader
    if reader is None:
        return
    for path, name in unresolved(reader.chunks.documents):
        yield Finding(
            f"{path} supersedes {name}, which is no document here",
            "correct the path, or leave it where the old document is gone",
            wrong=False,
        )


def vectors(checkup: Checkup) -> Iterator[Finding]:
    """All vectors have unit length."""
    reader = checkup.reader
    if reader is None:
        return
    for start in range(0, len(reader.vectors), _BLOCK):
        block = np.asarray(reader.vectors[start : start + _BLOCK], np.float64)
        odd = np.flatnonzero(~(np.abs(np.linalg.norm(block, axis=1) - 1) < 1e-3))
        if len(odd):
            yield _wrong(reader, f"vector {start + int(odd[0])} has not unit length")
            return


def chunks(checkup: Checkup) -> Iterator[Finding]:
    """Ids are unique, offsets rise within a document, documents' rows follow each other."""
    reader = checkup.reader
    if reader is None:
        return
    ids: set[str] = set()
    path, start = "", -1
    for row, chunk in enumerate(reader.chunks):
        if chunk.id in ids:
            yield _wrong(reader, f"the id of chunk {row} ({chunk.id[:12]}) is there twice")
        ids.add(chunk.id)
        if chunk.kind != "text":
            continue
        if chunk.path == path and chunk.start <= start:
            yield _wrong(reader, f"chunk {row} of {path} does not start after the one before it")
        path, start = chunk.path, chunk.start


def slices(checkup: Checkup) -> Iterator[Finding]:
    """Each chunk is the slice of its document that it says it is, where the store has the document."""
    reader, opened = checkup.reader, checkup.store()
    if reader is None or opened is None:
        return
    with opened as store:
        known = {row.path: row for row in store.files() if row.parse_key}
        for number, document in enumerate(reader.chunks.documents):
            row = known.get(document.path)
            if row is None or row.sha256 != document.content_hash:
                continue  # edited since: the generation is only behind
            if (bad := _bad_slice(reader, store, number, row)) is not None:
                yield _wrong(reader, f"chunk {bad} is not the slice of {row.path} that it says")


def _bad_slice(reader: GenerationReader, store: Store, number: int, row: FileRow) -> int | None:
    try:
        text = "".join(part.text for part in store.documents(row.parse_key))
    except KeyError:
        return None  # the store's own check tells
    for place in range(*reader.chunks.rows(number)):
        chunk = reader.chunks[place]
        if chunk.kind == "text" and text[chunk.start : chunk.end] != chunk.text:
            return place
    return None


def _wrong(reader: GenerationReader, what: str) -> Finding:
    return Finding(f"generation {reader.manifest.number}: {what}", FIX, Remedy.BUILD)
