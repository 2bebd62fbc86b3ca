"""From the store's stages to finished chunks with path, context and ids."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b

from ingest.parse.titles import title_from_name
from kb.digest import digest
from kb.records import Chunk
from kb.store import FileRow, Store


def assemble(store: Store, files: Iterable[FileRow]) -> Iterator[Chunk]:
    """All chunks of `files`, in order of path and position."""
    for row in files:
        yield from _finish(row, store.chunks(row.chunk_key), store.contexts(row.context_key))


def document_id(path: str) -> str:
    """A document is known by its path: an edit keeps the id, a move changes it."""
    return digest("document", path)


def _finish(row: FileRow, chunks: Iterable[Chunk], contexts: Iterable[str]) -> Iterator[Chunk]:
    """Add what only the file knows.

    A chunk's id comes from its path, its text, and how often that text came before in the file, so
    that an edit elsewhere in the file leaves it alone.
    """
    before: Counter[bytes] = Counter()  # by a hash: the texts of a long file are not held
    name = title_from_name(row.path)  # shown where the document has no title; never embedded
    doc_id = document_id(row.path)
    for chunk, context in zip(chunks, contexts, strict=True):
        text = blake2b(chunk.text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        chunk_id = digest("chunk", row.path, chunk.text, str(before[text]))
        before[text] += 1
        yield replace(
            chunk,
            id=chunk_id,
            doc_id=doc_id,
            path=row.path,
            content_hash=row.sha256,
            title=chunk.title or name,
            context=context,
        )
