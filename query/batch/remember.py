"""Vectors of questions that come again within a run."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from kb.models.embedder import Embedder, Floats, Role, TokenEmbedder, Tokenizer
from kb.models.load import supports_tokens

T = TypeVar("T")
_MOST = 1024  # questions; some 50 MB with token vectors


def remembering(embedder: Embedder) -> Embedder:
    """The embedder, with a bounded memory for single texts; the bits are the same."""
    return _Tokens(embedder) if supports_tokens(embedder) else _Vectors(embedder)


class _Memory(Generic[T]):
    """The last results by key; calls from several threads may make one twice, with equal bits."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, Role], T] = OrderedDict()
        self._lock = Lock()

    def find(self, key: tuple[str, Role]) -> T | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: tuple[str, Role], value: T) -> T:
        with self._lock:
            self._kept[key] = value
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return value


class _Vectors:
    """An `Embedder`."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._vectors: _Memory[Floats] = _Memory()

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def max_tokens(self) -> int:
        return self._inner.max_tokens

    @property
    def tokenizer(self) -> Tokenizer:
        return self._inner.tokenizer

    @property
    def language_gap(self) -> float:
        return self._inner.language_gap

    def preload(self) -> None:
        self._inner.preload()

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        rows = [self._one(text, role) for text in texts]
        return np.concatenate(rows) if rows else np.empty((0, self.dimension), np.float32)

    def _one(self, text: str, role: Role) -> Floats:
        found = self._vectors.find((text, role))
        return (
            self._vectors.keep((text, role), self._inner.embed([text], role))
            if found is None
            else found
        )


class _Tokens(_Vectors):
    """A `TokenEmbedder`."""

    def __init__(self, inner: TokenEmbedder) -> None:
        super().__init__(inner)
        self._with_tokens = inner
        self._both: _Memory[tuple[Floats, Floats]] = _Memory()

    @property
    def token_language_gap(self) -> float:
        return self._with_tokens.token_language_gap

    @property
    def token_mean(self) -> Floats:
        return self._with_tokens.token_mean

    def embed_with_tokens(self, texts: Sequence[str], role: Role) -> tuple[Floats, list[Floats]]:
        made = [self._pair(text, role) for text in texts]
        rows = [row for row, _ in made]
        stacked = np.concatenate(rows) if rows else np.empty((0, self.dimension), np.float32)
        return stacked, [tokens for _, tokens in made]

    def _pair(self, text: str, role: Role) -> tuple[Floats, Floats]:
        found = self._both.find((text, role))
        if found is None:
            rows, tokens = self._with_tokens.embed_with_tokens([text], role)
            found = self._both.keep((text, role), (rows, tokens[0]))
        return found
