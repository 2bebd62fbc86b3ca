"""An embedder of no cost: hashed words, with the bundled tokenizer."""

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from index.sync import SyncReport, sync
from kb.configure import load_settings
from kb.location import Location, at
from kb.models.embedder import Embedder, Floats, Role
from kb.models.hf_tokenizer import HfTokenizer
from kb.settings import Settings
from kb.store import Store
from tests.chunking import tokenizer

DIMENSION = 64
FLAGS: dict[str, object] = {"chunk.size": 24, "chunk.overlap": 4}


class FakeEmbedder:
    """Unit rows, one hashed word a column; counts what it was asked for."""

    name = "fake/words"
    fingerprint = "fake-words-64"
    dimension = DIMENSION
    max_tokens = 508
    language_gap = 0.0
    token_language_gap = 0.0

    def __init__(self) -> None:
        self.embedded: list[str] = []

    @property
    def tokenizer(self) -> HfTokenizer:
        return tokenizer()

    @property
    def token_mean(self) -> Floats:
        return np.zeros(DIMENSION, np.float32)

    def preload(self) -> None:
        pass

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        self.embedded += texts
        return _unit(np.stack([_bag(text) for text in texts])) if texts else np.empty((0, 64), "f4")

    def embed_with_tokens(self, texts: Sequence[str], role: Role) -> tuple[Floats, list[Floats]]:
        tokens = [_unit(np.stack([_bag(word) for word in text.split() or [""]])) for text in texts]
        return self.embed(texts, role), tokens


def _bag(text: str) -> Floats:
    row = np.zeros(DIMENSION, np.float32)
    row[0] = 1e-3
    for word in text.lower().split():
        row[zlib.crc32(word.strip(".,#").encode()) % DIMENSION] += 1
    return row


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def quiet(_stage: str, _done: int) -> None:
    pass


def synced(
    home: Path, embedder: Embedder, settings: Settings | None = None
) -> tuple[Location, SyncReport]:
    """Sync ``home/docs`` without the command line, in small chunks."""
    location = at(home)
    location.folder.mkdir(exist_ok=True)
    chosen = settings or load_settings(flags=FLAGS, environment={})
    with Store(location) as store:
        return location, sync(location, store, chosen, embedder, quiet, [home / "docs"])
