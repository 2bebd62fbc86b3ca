"""Texts in, vectors out, over an ONNX encoder and its tokenizer."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from kb.digest import digest
from kb.errors import UsageError
from kb.models.embedder import Floats, Role
from kb.models.hf_tokenizer import HfTokenizer
from kb.models.onnx_model import Ids, OnnxModel
from kb.models.spread import cores, spread

POOLING_VERSION = "one text a run, pooled, unit length/1"
log = logging.getLogger(__name__)


class OnnxText:
    """The `Embedder` behind ``onnx``, ``hub`` and ``bundled``; it loads its files when needed."""

    def __init__(
        self,
        name: str,
        model: OnnxModel,
        tokenizer: HfTokenizer,
        *,
        prefixes: Mapping[Role, str],
        window: int,
        threads: int,
        weights_digest: Callable[[], str],
    ) -> None:
        """`window` is in tokens, all included; `threads` 0 means one a core."""
        self._name = name
        self._model = model
        self._tokenizer = tokenizer
        self._prefixes = prefixes
        self._window = window
        self._threads = threads or cores()
        self._weights_digest = weights_digest

    @property
    def name(self) -> str:
        """For messages."""
        return self._name

    @property
    def tokenizer(self) -> HfTokenizer:
        """The model's own tokenizer."""
        return self._tokenizer

    @property
    def dimension(self) -> int:
        """Length of a vector; loads the model."""
        return self._model.dimension

    @cached_property
    def fingerprint(self) -> str:
        """Weights, tokenizer, pooling, prefixes and window (a longer text gives another vector)."""
        return digest(
            self._weights_digest(),
            self._tokenizer.fingerprint,
            POOLING_VERSION,
            self._model.pooling,
            self._prefixes["query"],
            self._prefixes["passage"],
            str(self._window),
        )

    @cached_property
    def max_tokens(self) -> int:
        """Tokens of a passage that are read: the window less special tokens and prefix."""
        room = self._window - sum(self._tokenizer.frame)
        left = room - self._tokenizer.count(self._prefixes["passage"])
        if left < 1:
            raise UsageError(
                f"embed.max_tokens is {self._window}, but {self._name} spends "
                f"{self._window - left} on prefix and special tokens: raise it"
            )
        return left

    @property
    def language_gap(self) -> float:
        """Unknown for a model that was not measured: 0."""
        return 0.0

    def preload(self) -> None:
        """Begin loading model and tokenizer side by side; returns at once."""
        self._model.preload()
        self._tokenizer.preload()

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        """Unit rows, the same bits whatever else is embedded. See `Embedder.embed`."""
        self.preload()
        rows = np.empty((len(texts), self.dimension), np.float32)

        def one(i: int, ids: Ids) -> None:
            rows[i] = self._model.pool(ids)

        self._each(texts, role, one)
        return rows

    def _each(self, texts: Sequence[str], role: Role, work: Callable[[int, Ids], None]) -> None:
        prefix, cut = self._prefixes[role], [False] * len(texts)

        def one(i: int) -> None:
            ids, whole = self._tokenizer.ids(texts[i], self._window, prefix)
            cut[i] = whole > self._window
            work(i, ids)

        spread(one, len(texts), self._threads)
        if any(cut):
            log.warning(
                "%d of %d texts (%s) exceed the %d tokens %s reads: their ends were left out",
                *(sum(cut), len(texts), role, self._window, self._name),
            )
