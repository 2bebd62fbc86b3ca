"""What a person means by ``3``, ``docs/a.md``, ``docs/a.md:12``, ``docs/a.pdf#page=3`` or ``1f0c``."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from cli import say
from cli.filtering import filter_of
from cli.last_hits import KeptHit, LastHits, hit_number
from cli.workspace import Workspace
from kb import generations
from kb.errors import UsageError

if TYPE_CHECKING:
    from index.reader import GenerationReader
    from kb.records import Chunk
    from query.filter.apply import Mask

_HIT = re.compile(r"[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class Named:
    """Chunks of one document that somebody may read, and how they were named."""

    reader: "GenerationReader"
    chunks: "list[Chunk]"
    hit: KeptHit | None = None
    line: int | None = None
    page: int | None = None
    is_document: bool = False  # named by its path alone
    open_rows: "Mask | None" = None  # of the reader: those that whoever asks may read


def find(workspace: Workspace, what: str, generation: str | None, principal: str | None) -> Named:
    """The chunks that `what` names, as if those that `principal` may not read were not there.

    Raises:
        UsageError: it names nothing, or no single thing.
    """
    if not what.strip():
        raise UsageError("give a hit's number, a file, or the id of a chunk or its start")
    if _HIT.fullmatch(what):
        return _of_hit(workspace, int(what), generation, principal)
    reader, open_rows = opened(workspace, generation, principal)
    with reader.blaming_damage():
        named = (
            _of_path(workspace, reader, what, open_rows)
            or _of_place(workspace, reader, what, open_rows)
            or _of_id(reader, what, open_rows)
        )
        return replace(named, open_rows=open_rows)


def opened(
    workspace: Workspace, generation: str | None, principal: str | None
) -> "tuple[GenerationReader, Mask]":
    """A generation with its derived chunks, and which of its rows `principal` may read."""
    from index.derived.joined import JoinedReader, joined
    from index.reader import GenerationReader
    from query.filter import readable

    leaves = GenerationReader.open(workspace.location, generation=generation)
    with leaves.blaming_damage():
        live = readable(leaves, filter_of(workspace.settings, principal=principal))
        reader = joined(leaves)
        if isinstance(reader, JoinedReader):
            return reader, reader.mask(live, ("text", *reader.kinds))
        return reader, live


def _of_hit(
    workspace: Workspace, number: int, generation: str | None, principal: str | None
) -> Named:
    last, hit = hit_number(workspace.location, number)
    if generation is None:
        _insist_on_generation(workspace, last, number)
    reader, open_rows = opened(workspace, generation or str(last.generation), principal)
    with reader.blaming_damage():
        rows = _rows(reader, hit.path)
        chunks = [reader.chunks[row] for row in rows if open_rows[row]]
        found = [chunk for chunk in chunks if chunk.id == hit.id]
    if not found:
        raise UsageError(
            f"hit {number} of the last query is not in generation {reader.manifest.number}, or not for "
            "whoever asks (--principal): ask again"
        )
    current = generations.current_number(workspace.location)
    if generation is None and current != last.generation:
        say.note(f"of generation {last.generation}; the current one is {current}")
    return Named(reader, found, hit=hit, open_rows=open_rows)


def _insist_on_generation(workspace: Workspace, last: LastHits, number: int) -> None:
    if last.generation not in generations.numbers(workspace.location):
        current = generations.current_number(workspace.location)
        raise UsageError(
            f"hit {number} is of generation {last.generation}, which is gone (the current one is "
            f"{current}): ask again"
        )


def _rows(reader: "GenerationReader", path: str) -> range:
    for number, document in enumerate(reader.chunks.documents):
        if document.path == path:
            return range(*reader.chunks.rows(number))
    return range(0)


def _of_path(
    workspace: Workspace, reader: "GenerationReader", what: str, open_rows: "Mask"
) -> Named | None:
    for path in dict.fromkeys((what, workspace.location.written(Path(what)))):
        chunks = [reader.chunks[row] for row in _rows(reader, path) if open_rows[row]]
        if chunks:
            return Named(reader, chunks, is_document=True)
    return None


def _of_place(
    workspace: Workspace, reader: "GenerationReader", what: str, open_rows: "Mask"
) -> Named | None:
    """``PATH:LINE`` and ``PATH#page=N``, as hits are printed."""
    from query.place import read_place

    place = read_place(what)
    document = place and _of_path(workspace, reader, place.path, open_rows)
    if not (place and document):
        return None
    chunks = [chunk for chunk in document.chunks if place.is_in(chunk)]
    if not chunks:
        raise UsageError(
            f"{what!r}: the index holds nothing of that {place.kind}, {_extent(document.chunks)}"
        )
    return Named(reader, chunks, line=place.line, page=place.page)


def _extent(chunks: "list[Chunk]") -> str:
    lines = [chunk.lines[1] for chunk in chunks if chunk.lines]
    pages = [chunk.pages[1] for chunk in chunks if chunk.pages]
    if lines:
        return f"the last it holds is line {max(lines)}"
    return f"the last it holds is page {max(pages)}" if pages else "the file has neither"


def _of_id(reader: "GenerationReader", what: str, open_rows: "Mask") -> Named:
    rows = (row for row in range(len(reader)) if open_rows[row])
    found = [chunk for row in rows if (chunk := reader.chunks[row]).id.startswith(what)]
    if not found:
        raise UsageError(
            f"{what!r} is neither a file nor the id of a chunk in generation "
            f"{reader.manifest.number}: 'tesela query --format json' names "
            "both, 'tesela failures' what could not be read"
        )
    if len(found) > 1:
        raise UsageError(f"{what!r} is the start of {len(found)} chunks' ids: write more of it")
    return Named(reader, found)
