"""How large chunks of code are: its tokens are shorter than those of prose."""

from kb.models.embedder import Embedder
from kb.records import Document
from kb.settings import ChunkSettings

_MOSTLY = 0.5


def code_size(settings: ChunkSettings, embedder: Embedder) -> int:
    """Tokens of a chunk of code: ``size`` times ``code_factor``, as far as the window allows.

    A quarter of the window stays free for the context, unless ``size`` itself takes it.
    """
    widest = max(embedder.max_tokens * 3 // 4, settings.size)
    return min(round(settings.size * settings.code_factor), widest)


def is_code(document: Document) -> bool:
    """Whether code fills more than half of a document's elements."""
    sizes = [(e.kind == "code", e.end - e.start) for e in document.elements]
    total = sum(size for _, size in sizes)
    return sum(size for code, size in sizes if code) > _MOSTLY * total
