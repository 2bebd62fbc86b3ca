"""What a knowledge base holds, in numbers."""

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from index import plan
from index.chunk_table import ChunkTable
from index.derived.files import DERIVED
from index.files import indexed_files
from kb import generations, history, snapshots
from kb.errors import TeselaError
from kb.generations import Manifest
from kb.location import Location
from kb.store import Store


def store_facts(store: Store) -> dict[str, Any]:
    """Sources, files, and those that could not be read."""
    files = store.files()
    return {
        "sources": [row.root for row in store.sources()],
        "files": len(files),
        "failed": [{"path": f.path, "reason": f.error} for f in files if f.error],
    }


def generation_facts(folder: Path, manifest: Manifest) -> dict[str, Any]:
    """Documents, chunks, languages, model, engine and bytes of a generation."""
    sizes: Counter[str] = Counter()
    for name, entry in manifest.files.items():
        sizes[name.split("/")[0]] += entry.size
    languages = Counter(d.language or "unknown" for d in ChunkTable(folder / "chunks").documents)
    return {
        "documents": manifest.documents,
        "chunks": manifest.chunks,
        "languages": dict(sorted(languages.items(), key=lambda item: (-item[1], item[0]))),
        "embedder": manifest.embedder,
        "dimension": manifest.dimension,
        "engine": manifest.engine,
        "derived": derived_counts(folder, manifest),
        "index_bytes": sizes.total(),
        "component_bytes": dict(sorted(sizes.items())),
    }


def derived_counts(folder: Path, manifest: Manifest) -> dict[str, int]:
    """Derived chunks of each kind."""
    if DERIVED not in manifest.components:
        return {}
    kinds = Counter(ChunkTable(folder / DERIVED / "chunks").kinds())
    return dict(sorted(kinds.items()))


def is_behind(store: Store, manifest: Manifest | None) -> bool:
    """Whether what was read differs from what the generation was made of."""
    if any(row.parse_key and not row.context_key for row in store.files()):
        return True
    files = indexed_files(store)
    if manifest is None:
        return bool(files)
    return plan.chunks_key(files) != manifest.components.get("chunks")


def is_forgotten(store: Store, manifest: Manifest | None) -> bool:
    """Whether the store knows of nothing, though the generation holds documents: it was lost."""
    if manifest is None or not manifest.documents:
        return False
    return not store.sources() and not store.files()


def generations_facts(location: Location) -> list[dict[str, Any]]:
    """The generations that were published and are still there, oldest first.

    What cannot be read of one is null.
    """
    tagged = snapshots.tags(location)
    current = generations.current_number(location)
    return [
        {
            "generation": number,
            "published": when.isoformat(timespec="seconds"),
            "current": number == current,
            "tags": [name for name, n in tagged.items() if n == number],
            **_summary(generations.folder_of(location, number)),
        }
        for number, when in history.published(location).items()
        if current is None or number <= current
    ]


def _summary(folder: Path) -> dict[str, Any]:
    try:
        manifest = generations.read_manifest(folder)
    except TeselaError:
        return dict.fromkeys(("documents", "chunks", "embedder", "bytes"))
    return {
        "documents": manifest.documents,
        "chunks": manifest.chunks,
        "embedder": manifest.embedder,
        "bytes": sum(entry.size for entry in manifest.files.values()),
    }


def bytes_under(folder: Path) -> int:
    """Bytes of all files, one with two names once; one that goes meanwhile counts for nothing."""
    found: dict[int, int] = {}
    for base, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                stat = os.lstat(os.path.join(base, name))  # noqa: PTH118
                found[stat.st_ino] = stat.st_size
    return sum(found.values())
