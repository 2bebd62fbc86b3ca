"""Embeds what has no vector yet, in batches that are each committed."""

from collections.abc import Iterable, Iterator
from itertools import islice

from index.vector_cache import VectorCache
from ingest.read_report import Progress
from kb.models.embedder import Embedder, TokenEmbedder
from kb.models.token_bits import pack

_BATCH = 64  # texts embedded between two commits
_LOOKAHEAD = 1024  # texts looked up at a time


def ensure_vectors(
    cache: VectorCache,
    embedder: Embedder,
    token_embedder: TokenEmbedder | None,
    texts: Iterable[str],
    progress: Progress,
) -> int:
    """Embed the texts that the cache lacks; with a `token_embedder` token codes are made too.

    Returns:
        How many texts were embedded.
    """
    embedded = 0
    for some in _runs(iter(texts), _LOOKAHEAD):
        missing = cache.missing(some, with_codes=token_embedder is not None)
        progress("embed", len(some) - len(missing))
        for batch in _runs(iter(missing), _BATCH):
            if token_embedder is None:
                cache.put(batch, embedder.embed(batch, "passage"), None)
            else:
                vectors, tokens = token_embedder.embed_with_tokens(batch, "passage")
                cache.put(batch, vectors, [pack(t, token_embedder.token_mean) for t in tokens])
            embedded += len(batch)
            progress("embed", len(batch))
    return embedded


def _runs(texts: Iterator[str], size: int) -> Iterator[list[str]]:
    while run := list(islice(texts, size)):
        yield run
