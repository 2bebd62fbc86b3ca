"""Which files become documents of a generation, and what else is said about them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import msgspec

from index.chunk_table import About
from ingest import about, sidecar
from kb.digest import digest
from kb.store import FileRow, Store


@dataclass(frozen=True, slots=True)
class IndexedFile(FileRow):
    """A file that has gone through all stages of ingest."""

    tags: tuple[str, ...] = ()  # of its source
    # Keys of the sidecars' documents, the weakest first; "" where unreadable.
    sidecars: tuple[str, ...] = ()

    @property
    def about_key(self) -> str:
        """Of all that `about_file` reads besides the file itself."""
        return digest("about", msgspec.json.encode([self.parse_key, self.tags, self.sidecars]))


def indexed_files(store: Store) -> list[IndexedFile]:
    """The files that are documents, by path."""
    return [file for file in read_files(store) if file.context_key]


def read_files(store: Store) -> list[IndexedFile]:
    """The files that were read, whether they have gone through the other stages or not, by path."""
    rows = store.files()
    documents = [row for row in rows if row.parse_key and not sidecar.is_sidecar(row.path)]
    beside = {row.path: row for row in rows if sidecar.is_sidecar(row.path)}
    pairs = sidecar.pair((row.path for row in documents), beside)
    tags = _source_tags(store)
    return [
        IndexedFile(
            **asdict(row),
            tags=tags.get(row.source, ()),
            sidecars=tuple(beside[path].parse_key for path in pairs.get(row.path, ())),
        )
        for row in documents
    ]


def lone_sidecars(store: Store) -> list[str]:
    """Sidecars that stand beside no document: a slip in a name would leave a document open."""
    rows = store.files()
    beside = [row.path for row in rows if sidecar.is_sidecar(row.path)]
    others = [row.path for row in rows if not sidecar.is_sidecar(row.path)]
    paired = {path for paths in sidecar.pair(others, beside).values() for path in paths}
    return sorted(set(beside) - paired)


def about_file(store: Store, file: IndexedFile) -> About:
    """Metadata, tags and rights of a document: its own, its sidecars', its source's.

    A sidecar's fields stand over the file's own, except that each ``acl`` has to let a reader in.
    """
    layers = [store.metadata(file.parse_key)]
    layers += [store.metadata(key) if key else {"acl": []} for key in file.sidecars]
    metadata = {key: value for layer in layers for key, value in layer.items()}
    acls = (about.acl_of(layer) for layer in layers)
    own = (tag for layer in layers for tag in about.tags_of(layer))
    return About(
        parser=file.parser,
        metadata=metadata,
        tags=tuple(dict.fromkeys((*own, *file.tags))),
        acl=tuple(acl for acl in acls if acl is not None),
    )


def _source_tags(store: Store) -> Mapping[str, tuple[str, ...]]:
    return {row.root: row.tags for row in store.sources()}
