"""From settings to an embedder."""

from typing import TypeGuard

from kb.models.embedder import Embedder, TokenEmbedder
from kb.registry import load
from kb.settings import EmbedSettings


def load_embedder(settings: EmbedSettings) -> Embedder:
    """The embedder that the settings name.

    Raises:
        UsageError: no such embedder or model.
        Unavailable: its package, files or service are missing.
    """
    embedder: Embedder = load("embedder", settings.embedder)(settings)
    return embedder


def supports_tokens(embedder: Embedder) -> TypeGuard[TokenEmbedder]:
    """Whether it also gives token vectors, for late interaction."""
    # a look at the class: asking the instance for token_mean would read a file
    return hasattr(type(embedder), "embed_with_tokens") and hasattr(type(embedder), "token_mean")
