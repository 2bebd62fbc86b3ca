"""A question, embedded at most once whichever parts ask for its vectors."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.errors import UsageError
from kb.models.embedder import Embedder
from kb.models.load import supports_tokens

Floats = NDArray[np.float32]


class Question:
    """What the user asked.

    Raises:
        UsageError: there is nothing in it.
    """

    def __init__(self, text: str, embedder: Callable[[], Embedder], with_tokens: bool) -> None:
        if not text.strip():
            raise UsageError("the question is empty: write what you look for, or - to read it")
        self.text = text
        self._embedder = embedder
        self._with_tokens = with_tokens

    @property
    def vector(self) -> Floats:
        """Unit vector, float32 (d,)."""
        return self._embedded[0]

    @property
    def tokens(self) -> Floats:
        """Unit token vectors, float32 (t, d), centred on the model's mean token vector.

        Raises:
            UsageError: the embedder has none, or the question was made without them.
        """
        if self._embedded[1] is None:
            name = self._embedder().name
            raise UsageError(
                f"embedder {name} gives no token vectors, which --rerank maxsim compares: "
                "use --rerank none"
            )
        return self._embedded[1]

    @cached_property
    def _embedded(self) -> tuple[Floats, Floats | None]:
        embedder = self._embedder()
        if self._with_tokens and supports_tokens(embedder):
            vectors, tokens = embedder.embed_with_tokens([self.text], "query")
            return vectors[0], tokens[0] - embedder.token_mean
        return embedder.embed([self.text], "query")[0], None
