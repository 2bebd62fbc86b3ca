"""Stage keys: a result is made again only where its key changed."""

from ingest.chunk.base import Chunker
from ingest.contextualize.base import Contextualizer
from kb.digest import digest, digest_settings
from kb.errors import Unavailable
from kb.models.embedder import Tokenizer
from kb.registry import load, names
from kb.settings import ChunkSettings, ContextSettings, ParseSettings


def parse_key(sha256: str, name: str, parser: str, settings: ParseSettings) -> str:
    """Of the bytes, the name (a title of last resort), the parser and its version and settings."""
    version = str(load("parser", parser).version)
    return digest("parse", sha256, name, parser, version, digest_settings(settings))


def failed_key(sha256: str, name: str, settings: ParseSettings) -> str:
    """Of all that could make a file readable that no parser took: its bytes and name, the parsers."""
    return digest(
        "failed", sha256, name, *map(_version, names("parser")), digest_settings(settings)
    )


def _version(parser: str) -> str:
    try:
        return f"{parser}.{load('parser', parser).version}"
    except Unavailable:
        return f"{parser} is not installed"


def chunk_key(parsed: str, settings: ChunkSettings, tokenizer: Tokenizer, model: str) -> str:
    """Of the document, the chunker, and for `semantic` the model whose vectors it cuts by."""
    chunker: type[Chunker] = load("chunker", settings.strategy)
    return digest(
        "chunk",
        parsed,
        str(chunker.version),
        digest_settings(settings),
        tokenizer.fingerprint,
        model if settings.strategy == "semantic" else "",
    )


def context_key(chunked: str, settings: ContextSettings, model: str) -> str:
    """Of the chunks, the contextualizer, and the model whose window limits the prefix."""
    provider: type[Contextualizer] = load("contextualizer", settings.provider)
    return digest("context", chunked, str(provider.version), digest_settings(settings), model)
