"""An embedder that costs nothing: hashed words, token vectors too."""

import zlib
from collections.abc import Sequence

import numpy as np

from kb.models.embedder import Floats, Role
from kb.models.hf_tokenizer import HfTokenizer
from tests.chunking import tokenizer

_DIMENSION = 16


class Cheap:
    """A `TokenEmbedder`; it notes the texts that it embeds."""

    name = "cheap"
    fingerprint = "cheap/1"
    dimension = _DIMENSION
    max_tokens = 500

    def __init__(self) -> None:
        self.seen: list[str] = []
        table = np.random.default_rng(0).standard_normal((512, _DIMENSION)).astype(np.float32)
        self._table: Floats = table / np.linalg.norm(table, axis=1, keepdims=True)

    @property
    def tokenizer(self) -> HfTokenizer:
        return tokenizer()

    @property
    def token_mean(self) -> Floats:
        return np.zeros(_DIMENSION, np.float32)

    def preload(self) -> None:
        pass

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        return self.embed_with_tokens(texts, role)[0]

    def embed_with_tokens(self, texts: Sequence[str], role: Role) -> tuple[Floats, list[Floats]]:
        self.seen += texts
        words = [[zlib.crc32(w.encode()) % 512 for w in text.split()] or [0] for text in texts]
        tokens = [self._table[found] for found in words]
        sums = np.stack([rows.sum(axis=0) for rows in tokens])
        return sums / np.linalg.norm(sums, axis=1, keepdims=True), tokens
