"""What changed between two generations: documents, and in them chunks."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from index.chunk_table import ChunkTable
from kb.records import Chunk

Change = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class ChunkChange:
    """One chunk's change; `old` is None where it was added, `new` where it was removed."""

    change: Change
    old: Chunk | None
    new: Chunk | None


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """One document's change with those of its chunks."""

    change: Literal["added", "changed", "removed", "renamed"]
    path: str
    was: str  # the path before a rename, else `path`
    same_bytes: bool  # changed, though the file is the same: it was cut or situated otherwise
    chunks: tuple[ChunkChange, ...]


def diff(old: ChunkTable, new: ChunkTable) -> Iterator[DocumentChange]:
    """Changes from `old` to `new`, by path; a document that is the same gives none.

    A document that went while one of the same bytes came, and in as many chunks, was renamed.
    """
    before = {entry.path: i for i, entry in enumerate(old.documents)}
    after = {entry.path: i for i, entry in enumerate(new.documents)}
    renamed = _renames(old, new, before, after)
    gone_to = {was: path for path, was in renamed.items()}
    for path in sorted(before.keys() | after.keys()):
        if path in renamed:
            yield DocumentChange("renamed", path, renamed[path], True, ())
        elif path not in after:
            if path not in gone_to:
                yield _whole("removed", path, _chunks(old, before[path]))
        elif path not in before:
            yield _whole("added", path, _chunks(new, after[path]))
        elif change := _changed(old, before[path], new, after[path]):
            yield change


def _renames(
    old: ChunkTable, new: ChunkTable, before: dict[str, int], after: dict[str, int]
) -> dict[str, str]:
    """New path → old path."""
    gone: dict[tuple[str, int], list[str]] = {}
    for path in sorted(before.keys() - after.keys(), reverse=True):
        gone.setdefault(_identity(old, before[path]), []).append(path)
    renamed = {}
    for path in sorted(after.keys() - before.keys()):
        candidates = gone.get(_identity(new, after[path]))
        if candidates:
            renamed[path] = candidates.pop()
    return renamed


def _identity(table: ChunkTable, document: int) -> tuple[str, int]:
    first, end = table.rows(document)
    return table.documents[document].content_hash, end - first


def _whole(change: Literal["added", "removed"], path: str, chunks: list[Chunk]) -> DocumentChange:
    added = change == "added"
    changes = (ChunkChange(change, None if added else c, c if added else None) for c in chunks)
    return DocumentChange(change, path, path, False, tuple(changes))


def _changed(old: ChunkTable, before: int, new: ChunkTable, after: int) -> DocumentChange | None:
    if old.raw(*old.rows(before)) == new.raw(*new.rows(after)):
        return None
    was, entry = old.documents[before], new.documents[after]
    changes = tuple(_chunk_changes(_chunks(old, before), _chunks(new, after)))
    same_bytes = was.content_hash == entry.content_hash
    if same_bytes and not changes:
        return None
    return DocumentChange("changed", entry.path, entry.path, same_bytes, changes)


def _chunk_changes(old: list[Chunk], new: list[Chunk]) -> Iterator[ChunkChange]:
    """Chunks are the same by what is indexed of them; of those between, the i-th replaced the i-th."""
    matcher = SequenceMatcher(
        None, [c.embedded_text for c in old], [c.embedded_text for c in new], autojunk=False
    )
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        both = min(a_end - a, b_end - b)
        for i in range(both):
            yield ChunkChange("changed", old[a + i], new[b + i])
        for chunk in old[a + both : a_end]:
            yield ChunkChange("removed", chunk, None)
        for chunk in new[b + both : b_end]:
            yield ChunkChange("added", None, chunk)


def _chunks(table: ChunkTable, document: int) -> list[Chunk]:
    return [table[row] for row in range(*table.rows(document))]
