"""Any server with an OpenAI-compatible ``/v1/embeddings``: hosted, or a local one."""

import logging
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from kb.digest import digest
from kb.errors import Unavailable
from kb.models.careful_tokenizer import CarefulTokenizer
from kb.models.embedder import Floats, Role
from kb.models.http_address import endpoint, key_in
from kb.models.http_errors import bounded, safe_url
from kb.models.http_post import Patience, post
from kb.models.onnx_model import unit
from kb.settings import EmbedSettings

if TYPE_CHECKING:
    import httpx

BATCH_TEXTS = 32  # some local servers refuse more by default
BATCH_CHARACTERS = 100_000
TIMEOUT = 60.0
log = logging.getLogger(__name__)


class _Row(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Row]


class OpenAIEmbedder:
    """``embed.url`` is the base address, with or without ``/v1``, or the full one of the endpoint.

    The key is read from the variable that ``embed.key_env`` names, and sent only when it is set.
    Texts are sent whole; see `max_tokens` for what keeps them within the model's window.

    Raises:
        UsageError: no usable address, or a key that cannot be sent.
    """

    def __init__(
        self,
        settings: EmbedSettings,
        *,
        timeout: float = TIMEOUT,
        patience: Patience | None = None,
    ) -> None:
        self._settings = settings
        self._timeout = timeout
        self._patience = patience or Patience()
        self._prefixes = {
            "query": settings.query_prefix or "",
            "passage": settings.passage_prefix or "",
        }
        self._url, self._login = endpoint(settings.url, "/embeddings", "embed.url")
        self._key = key_in(settings.key_env)
        self._dimension = settings.dimension

    @property
    def name(self) -> str:
        """For messages."""
        return f"openai/{self._settings.model}"

    @cached_property
    def fingerprint(self) -> str:
        """Address, model, dimension asked for and prefixes: all that can be known of the weights.

        A server that puts other weights behind the same name is not noticed.
        """
        return digest(
            "openai-compatible/1",
            self._url,
            self._settings.model,
            str(self._settings.dimension),
            self._prefixes["query"],
            self._prefixes["passage"],
        )

    @property
    def dimension(self) -> int:
        """The dimension set, or the one the server answers with (asked once)."""
        if not self._dimension:
            self.embed(["dimension"], "query")
        return self._dimension

    @cached_property
    def tokenizer(self) -> CarefulTokenizer:
        """Stands in for the server's own, which is not known here."""
        return CarefulTokenizer()

    @cached_property
    def max_tokens(self) -> int:
        """Half of ``embed.max_tokens`` less the prefix: the margin for another tokenizer's count.

        A server that still finds a text too long refuses it, which is told; only one that cuts by
        itself (and denser text than twice the count) could lose an end.
        """
        prefix = self.tokenizer.count(self._prefixes["passage"])
        return max(1, self._settings.max_tokens // 2 - prefix)

    @property
    def language_gap(self) -> float:
        """Unknown: 0."""
        return 0.0

    def preload(self) -> None:
        """Nothing to load: the model lives elsewhere."""

    def embed(self, texts: Sequence[str], role: Role) -> Floats:
        """Float32 unit rows, in batches of at most 32 texts. See `Embedder.embed`."""
        import httpx

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        timeout = httpx.Timeout(self._timeout, connect=min(10.0, self._timeout))
        prefixed = (self._prefixes[role] + text for text in texts)
        rows: list[Floats] = []
        with httpx.Client(headers=headers, timeout=timeout, auth=self._basic()) as client:
            for batch in batches(prefixed):
                self._warn(batch)
                rows.append(self._ask(client, batch))
        if not rows:
            return np.empty((0, self.dimension), np.float32)
        return np.concatenate(rows)

    def _basic(self) -> tuple[str, str] | None:
        return self._login if self._login and not self._key else None

    def _warn(self, batch: list[str]) -> None:
        limit = self._settings.max_tokens
        # texts of fewer characters than that are not worth counting
        long = sum(1 for t in batch if len(t) > limit and self.tokenizer.count(t) > limit)
        if long:
            log.warning("%d texts have more than the %d tokens set for %s", long, limit, self.name)

    def _ask(self, client: "httpx.Client", batch: list[str]) -> Floats:
        body: dict[str, object] = {"model": self._settings.model, "input": batch}
        if self._settings.dimension:
            body["dimensions"] = self._settings.dimension
        raw = post(
            client, self._url, msgspec.json.encode(body), secret=self._key, patience=self._patience
        )
        try:
            answer = msgspec.json.decode(raw, type=_Answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            said = bounded(raw[:2000].decode("utf-8", "replace"), self._key)
            raise self._wrong(f"is not an embeddings answer ({error}): {said}") from error
        return self._rows(answer.data, len(batch))

    def _rows(self, data: list[_Row], expected: int) -> Floats:
        """Unit rows in the order asked; count, indices, dimension and numbers are checked."""
        order = [i if row.index is None else row.index for i, row in enumerate(data)]
        if sorted(order) != list(range(expected)):
            raise self._wrong(f"has {len(data)} rows (indices {order[:8]}) for {expected} texts")
        lengths = {len(row.embedding) for row in data}
        wanted = self._dimension or len(data[0].embedding)
        if lengths != {wanted} or not wanted:
            found = ", ".join(map(str, sorted(lengths)))
            raise self._wrong(f"has vectors of {found} numbers where {wanted} were expected")
        rows = np.empty((expected, wanted), np.float32)
        rows[order] = np.asarray([row.embedding for row in data], np.float32)
        if not np.isfinite(rows).all() or not rows.any(axis=1).all():
            raise self._wrong("has a vector that is zero or not finite")
        self._dimension = wanted
        return unit(rows)

    def _wrong(self, what: str) -> Unavailable:
        return Unavailable(f"the answer of {safe_url(self._url)} for {self._settings.model} {what}")


def batches(texts: Iterator[str]) -> Iterator[list[str]]:
    """At most `BATCH_TEXTS` texts and `BATCH_CHARACTERS` each; a longer text goes alone."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or size + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch
