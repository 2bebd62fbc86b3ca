"""Documents and small generations made of metadata alone, for tests of filters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from index.chunk_table import About, ChunkTable, DocumentEntry, write_chunks
from index.reader import GenerationReader
from kb.records import Chunk


def document(path: str, metadata: Mapping[str, Any] | None = None, **about: Any) -> DocumentEntry:
    """A document of one chunk without a title and a language."""
    return DocumentEntry(path, "", "", "", "", 0, About(metadata=dict(metadata or {}), **about))


@dataclass
class _Table:
    chunks: ChunkTable

    def __len__(self) -> int:
        return len(self.chunks)


def reader_of(
    folder: Path, documents: Iterable[tuple[DocumentEntry, list[str]]]
) -> GenerationReader:
    """What filters read of a generation; each document comes with its chunks' languages."""
    entries = {entry.path: entry for entry, _ in documents}
    chunks = [
        Chunk(f"{entry.path}-{i}", "", entry.path, i, i + 1, "x", language=language)
        for entry, languages in documents
        for i, language in enumerate(languages)
    ]
    write_chunks(folder, chunks, lambda path: entries[path].about)
    return cast("GenerationReader", _Table(ChunkTable(folder)))
