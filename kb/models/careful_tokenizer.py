"""Counting for a model whose tokenizer is not at hand."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kb.digest import digest
from kb.models.bundled_files import TOKENIZER, digests
from kb.models.hf_tokenizer import HfTokenizer


class CarefulTokenizer:
    """The bundled tokenizer, with each character it does not know counted as a token of its own.

    The bundled vocabulary is Latin, and a whole line of Chinese is one unknown token in it; other
    vocabularies spend about a token on each character. With that, half of a model's window is a
    bound that English, Spanish, code and Chinese stay well under (see `OpenAIEmbedder.max_tokens`).
    """

    def __init__(self) -> None:
        self._inner = HfTokenizer(TOKENIZER, digests()[TOKENIZER.name])

    @cached_property
    def fingerprint(self) -> str:
        """The bundled tokenizer's and the rule's."""
        return digest(self._inner.fingerprint, "unknown characters one by one/1")

    def offsets(self, text: str) -> NDArray[np.int64]:
        """Token bounds, shape (t, 2), in characters of `text`."""
        spans, unknown = self._inner.tokens(text)
        if not unknown.any():
            return spans
        cut = [
            (at, at + 1) if lost else (start, end)
            for (start, end), lost in zip(spans.tolist(), unknown.tolist(), strict=True)
            for at in (range(start, end) if lost else (start,))
        ]
        return np.asarray(cut, np.int64).reshape(-1, 2)

    def count(self, text: str) -> int:
        """Number of tokens."""
        return len(self.offsets(text))

    def unknown_share(self, text: str) -> float:
        """0: what the model itself does not know cannot be told from here."""
        return 0.0
