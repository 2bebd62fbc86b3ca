"""What every embedder promises."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Role = Literal["query", "passage"]


class Tokenizer(Protocol):
    """Cuts text the way the embedder does. Special tokens in the text are plain text."""

    @property
    def fingerprint(self) -> str:
        """Changes when the cuts may change."""
        ...

    def offsets(self, text: str) -> NDArray[np.int64]:
        """Token bounds, shape (t, 2): half-open character spans, starts never falling.

        Blanks may lie in no token. No special tokens are added.
        """
        ...

    def count(self, text: str) -> int:
        """How many tokens the text has, without prefixes and special tokens."""
        ...

    def unknown_share(self, text: str) -> float:
        """Share, 0 to 1, of the non-blank characters that the model has no token for."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors, one text at a time, so that a vector never depends on its neighbours."""

    @property
    def fingerprint(self) -> str:
        """Of weights, tokenizer, prefixes, dimension, normalisation; vectors of two never mix."""
        ...

    @property
    def name(self) -> str:
        """For messages, e.g. ``bundled/encoder-12``."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens of a passage are read, prefixes and special tokens already taken off."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that `max_tokens` is measured with."""
        ...

    @property
    def language_gap(self) -> float:
        """How much nearer a question is, on average, to any text in its own language.

        In cosine; 0 where nothing is known. Taken off before texts of several languages compete.
        """
        ...

    def preload(self) -> None:
        """Begin to load in the background, where there is anything to load; returns at once."""
        ...

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        """Float32 rows of unit length, shape (len(texts), dimension), in the order of the texts.

        Raises:
            Unavailable: the model or the service cannot be reached.
        """
        ...


class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives a vector for each token, for late interaction."""

    def embed_with_tokens(self, texts: Sequence[str], role: Role) -> tuple[Floats, list[Floats]]:
        """As `embed`, and for each text its unit token vectors, float32 (t, dimension).

        Prefix and special tokens are dropped.
        """
        ...

    @property
    def token_language_gap(self) -> float:
        """`language_gap` of the late interaction, in its scores."""
        ...

    @property
    def token_mean(self) -> Floats:
        """Mean token vector, shape (dimension,): subtracted before sign bits are taken."""
        ...


EmbedPassages = Callable[[Sequence[str]], Floats]
