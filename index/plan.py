"""What must be redone: pure, from keys alone.

A generation is made of components, each a folder with a key of what it was made from. A component
whose key is the same in the current generation is linked, not built.
"""

from collections.abc import Iterable, Mapping

from index import chunk_table, token_table
from index.engines.base import Engine
from index.files import IndexedFile
from index.lexical import analyzer
from index.lexical import build as lexical
from kb.digest import digest, digest_settings
from kb.registry import load
from kb.settings import Bm25Settings, Settings


def component_keys(
    files: Iterable[IndexedFile], settings: Settings, fingerprint: str, tokens: bool
) -> dict[str, str]:
    """The key of each component, in the order they are built.

    Args:
        files: the files that are to be in the generation, by path.
        settings: of the whole KB.
        fingerprint: of the embedder.
        tokens: whether token codes are kept.
    """
    return component_keys_of(chunks_key(files), settings, fingerprint, tokens)


def component_keys_of(
    chunks: str, settings: Settings, fingerprint: str, tokens: bool
) -> dict[str, str]:
    """As `component_keys`, for chunks of a known key."""
    vectors = digest("vectors", chunks, fingerprint)
    engine: type[Engine] = load("engine", settings.engine.name)
    keys = {
        "chunks": chunks,
        "vectors": vectors,
        "engine": digest("engine", vectors, str(engine.version), digest_settings(settings.engine)),
        "bm25": digest(
            "bm25", chunks, f"{lexical.VERSION}.{analyzer.VERSION}", *term_rules(settings.bm25)
        ),
    }
    if tokens:
        keys["tokens"] = digest("tokens", vectors, str(token_table.VERSION))
    return keys


def chunks_key(files: Iterable[IndexedFile]) -> str:
    """The key of the chunks of `files`, by path."""
    parts = [
        part for row in files for part in (row.path, row.sha256, row.context_key, row.about_key)
    ]
    return digest("chunks", str(chunk_table.VERSION), *parts)


def term_rules(settings: Bm25Settings) -> tuple[str, ...]:
    """What the terms depend on; k1, b and the form of IDF are applied when a question is asked."""
    return str(settings.stop_words), str(settings.stem), str(settings.fold_enye)


def reusable(wanted: Mapping[str, str], current: Mapping[str, str]) -> set[str]:
    """The components of `current` that can be linked."""
    return {name for name, key in wanted.items() if current.get(name) == key}
