"""The documents that questions are made from: those of the generation that whoever asks may find."""

from collections.abc import Callable, Iterable, Iterator

from index.files import indexed_files
from index.reader import GenerationReader
from kb.digest import digest
from kb.location import Location
from kb.records import Document
from kb.store import Store
from query.evaluate.held import Mask

Documents = Callable[[], Iterable[tuple[str, Document]]]
MOST = 5000  # documents that are looked at, drawn by the seed


def documents_of(
    location: Location, reader: GenerationReader, live: Mask | None, seed: int
) -> Documents:
    """Gives the documents with their paths, the same ones in the same order each time.

    A file that was read again and not indexed yet is left out: its places are not the index's.

    Args:
        location: of the KB.
        reader: the generation.
        live: rows that may answer, bool (n,); None for all.
        seed: where there are too many, which ones.
    """
    chunks = reader.chunks
    there = {
        entry.path: entry.content_hash
        for number, entry in enumerate(chunks.documents)
        if live is None or live[slice(*chunks.rows(number))].all()
    }
    chosen = sorted(sorted(there, key=lambda path: digest("look", str(seed), path))[:MOST])

    def documents() -> Iterator[tuple[str, Document]]:
        with Store.looking(location) as store:
            keys = {
                f.path: f.parse_key for f in indexed_files(store) if f.sha256 == there.get(f.path)
            }
            for path in chosen:
                if path in keys:
                    yield from ((path, document) for document in store.documents(keys[path]))

    return documents
