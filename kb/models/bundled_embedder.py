"""The model in the box: multilingual-e5-small with a Latin-script vocabulary, offline."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from kb.errors import UsageError
from kb.models.bundled_files import MODELS, TOKEN_MEAN, TOKENIZER, digests, model_file
from kb.models.embedder import Floats, Role
from kb.models.hf_tokenizer import HfTokenizer
from kb.models.onnx_model import Ids, OnnxModel
from kb.models.onnx_text import OnnxText
from kb.settings import EmbedSettings

DIMENSION = 384
WINDOW = 512
# tools/language_gap.py over parallel documents: .012 for English and .033 for Spanish questions (pooled),
# .014 and .030 (tokens); 6 layers within .003 of that. Encyclopaedic text has more (.047).
LANGUAGE_GAP = 0.03
PREFIXES: Mapping[Role, str] = {"query": "query: ", "passage": "passage: "}


class BundledEmbedder(OnnxText):
    """A `TokenEmbedder`: ``encoder-12`` (default) or ``encoder-6`` (twice the speed).

    Raises:
        UsageError: another model, a prefix of the user's, or a window above the model's 512 tokens.
    """

    def __init__(self, settings: EmbedSettings) -> None:
        _check(settings)
        known = digests()
        super().__init__(
            f"bundled/{settings.model}",
            OnnxModel(model_file(settings.model), "mean"),
            HfTokenizer(TOKENIZER, known[TOKENIZER.name]),
            prefixes=PREFIXES,
            window=settings.max_tokens,
            threads=settings.threads,
            weights_digest=lambda: known[settings.model],
        )

    @property
    def dimension(self) -> int:
        """384; known without loading the model."""
        return DIMENSION

    @property
    def language_gap(self) -> float:
        """Measured once, see `LANGUAGE_GAP`."""
        return LANGUAGE_GAP

    @property
    def token_language_gap(self) -> float:
        """Measured once, see `LANGUAGE_GAP`."""
        return LANGUAGE_GAP

    @cached_property
    def token_mean(self) -> Floats:
        """Mean unit token vector of the training text, shape (384,)."""
        mean: Floats = np.load(TOKEN_MEAN, allow_pickle=False).astype(np.float32)
        return mean

    def embed_with_tokens(self, texts: Sequence[str], role: Role) -> tuple[Floats, list[Floats]]:
        """As `embed` with the same bits, and each text's token vectors. See `TokenEmbedder`.

        The result holds 1.5 KB for each token: give it texts by the hundred, not the ten thousand.
        """
        self.preload()
        rows = np.empty((len(texts), DIMENSION), np.float32)
        tokens: list[Floats] = [np.empty((0, DIMENSION), np.float32)] * len(texts)
        head, tail = self._tokenizer.frame
        skip = head + self._tokenizer.count(PREFIXES[role])

        def one(i: int, ids: Ids) -> None:
            rows[i], every = self._model.pool_and_tokens(ids)
            tokens[i] = every[skip : len(every) - tail].copy()

        self._each(texts, role, one)
        return rows, tokens


def _check(settings: EmbedSettings) -> None:
    if settings.model not in MODELS:
        raise UsageError(f"no bundled model {settings.model!r}: choose one of {', '.join(MODELS)}")
    if settings.max_tokens > WINDOW:
        raise UsageError(
            f"embed.max_tokens is {settings.max_tokens}, {settings.model} reads at most {WINDOW}"
        )
    if settings.query_prefix is not None or settings.passage_prefix is not None:
        raise UsageError(
            "the bundled model has its own prefixes: leave out embed.query_prefix and "
            "embed.passage_prefix"
        )
