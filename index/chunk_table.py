"""The chunks of a generation: one JSON line each, with their offsets in an array, read one at a time.

Files: ``chunks.jsonl``, ``offsets.npy`` int64 (n + 1,), ``documents.json`` (what filters ask of each
document, and its first row, in row order), ``languages.json`` (codes) and ``languages.npy`` int16 (n,)
into them.
"""

import mmap
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from kb.errors import Unavailable
from kb.records import Chunk, embedded_text

VERSION = 4


class _Text(msgspec.Struct, frozen=True):
    text: str
    context: str
    language: str


class _Said(msgspec.Struct, frozen=True):
    text: str
    kinds: tuple[str, ...] = ()


class _Kind(msgspec.Struct, frozen=True):
    kind: str


_decode_kind = msgspec.json.Decoder(_Kind).decode
_decode_said = msgspec.json.Decoder(_Said).decode
_decode_text = msgspec.json.Decoder(_Text).decode
_decode = msgspec.json.Decoder(Chunk).decode


class About(msgspec.Struct, frozen=True):
    """What is known of a document besides its chunks."""

    parser: str = ""
    metadata: dict[str, Any] = {}
    tags: tuple[str, ...] = ()  # its own and its source's
    # Each has to hold one label of whoever reads the document; an empty one lets nobody in.
    acl: tuple[tuple[str, ...], ...] = ()


class DocumentEntry(msgspec.Struct, frozen=True):
    """One document of a generation; its chunks are the rows from `first` up to the next one's."""

    path: str
    doc_id: str
    title: str
    language: str
    content_hash: str
    first: int
    about: About


def write_chunks(
    folder: Path, chunks: Iterable[Chunk], about: Callable[[str], About] = lambda _path: About()
) -> tuple[int, int]:
    """Write the table; returns how many chunks and documents it holds.

    Args:
        folder: to write into.
        chunks: those of one document together.
        about: a document by its path.
    """
    offsets = [0]
    documents: list[DocumentEntry] = []
    languages: dict[str, int] = {}
    spoken = array("h")
    with (folder / "chunks.jsonl").open("wb") as out:
        for row, chunk in enumerate(chunks):
            if not documents or documents[-1].path != chunk.path:
                documents.append(_document(chunk, row, about(chunk.path)))
            line = msgspec.json.encode(chunk) + b"\n"
            out.write(line)
            offsets.append(offsets[-1] + len(line))
            spoken.append(languages.setdefault(chunk.language, len(languages)))
    np.save(folder / "languages.npy", np.asarray(spoken, np.int16))
    (folder / "languages.json").write_bytes(msgspec.json.encode(list(languages)))
    np.save(folder / "offsets.npy", np.asarray(offsets, np.int64))
    (folder / "documents.json").write_bytes(msgspec.json.encode(documents))
    return len(offsets) - 1, len(documents)


def _document(chunk: Chunk, row: int, about: About) -> DocumentEntry:
    return DocumentEntry(
        chunk.path, chunk.doc_id, chunk.title, chunk.language, chunk.content_hash, row, about
    )


class ChunkTable:
    """Random access by row; nothing is read before it is asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: NDArray[np.int64] = np.load(folder / "offsets.npy", mmap_mode="r")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, row: int) -> Chunk:
        """The chunk of a row."""
        if not 0 <= row < len(self):
            raise IndexError(row)
        return _decode(self._bytes[int(self._offsets[row]) : int(self._offsets[row + 1])])

    def raw(self, first: int, end: int) -> bytes:
        """The rows from `first` up to `end` as they are stored: equal bytes are equal chunks."""
        return self._bytes[int(self._offsets[first]) : int(self._offsets[end])]

    def said(self, row: int) -> tuple[str, tuple[str, ...]]:
        """Text and element kinds of a row; nothing else of it is decoded."""
        found = _decode_said(self._bytes[int(self._offsets[row]) : int(self._offsets[row + 1])])
        return found.text, found.kinds

    def kinds(self) -> Iterator[str]:
        """The kind of each row; nothing else of it is decoded."""
        return (_decode_kind(self.raw(row, row + 1)).kind for row in range(len(self)))

    def rows(self, document: int) -> tuple[int, int]:
        """First row of a document and the row after its last."""
        documents = self.documents
        last = document + 1 == len(documents)
        return documents[document].first, len(self) if last else documents[document + 1].first

    def __iter__(self) -> Iterator[Chunk]:
        return (self[row] for row in range(len(self)))

    def texts(self) -> Iterator[tuple[str, str]]:
        """Embedded text and language of each row; nothing else of it is decoded."""
        for row in range(len(self)):
            found = _decode_text(self._bytes[int(self._offsets[row]) : int(self._offsets[row + 1])])
            yield embedded_text(found.context, found.text), found.language

    @cached_property
    def documents(self) -> list[DocumentEntry]:
        """The documents, in row order.

        Raises:
            Unavailable: an older version wrote them without the rights that readers have.
        """
        raw = (self._folder / "documents.json").read_bytes()
        try:
            return msgspec.json.decode(raw, type=list[DocumentEntry])
        except msgspec.ValidationError as error:
            raise Unavailable(
                f"generation {self._folder.parent.name} was built by an older version, which kept "
                "no metadata to filter by: run 'tesela sync'"
            ) from error

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Languages of the chunks, ISO 639-1, "" for unknown, in order of first use."""
        raw = (self._folder / "languages.json").read_bytes()
        return tuple(msgspec.json.decode(raw, type=list[str]))

    def written_in(self, languages: Iterable[str]) -> NDArray[np.bool_]:
        """True for the rows whose language is one of `languages`, bool (n,)."""
        codes = [code for code, name in enumerate(self.languages) if name in set(languages)]
        spoken: NDArray[np.int16] = np.load(self._folder / "languages.npy", mmap_mode="r")
        return np.isin(spoken, codes)

    @cached_property
    def _bytes(self) -> mmap.mmap | bytes:
        with (self._folder / "chunks.jsonl").open("rb") as f:
            return mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) if len(self) else b""
