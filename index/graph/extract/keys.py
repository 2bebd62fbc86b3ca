"""Under which key what a chunk said is kept: its text, and all that decides how it is read."""

from index.graph.extract import prompt, rules
from kb.digest import digest, digest_settings
from kb.models.llm.base import asked_of
from kb.settings import Settings


def way_of(settings: Settings) -> tuple[str, ...]:
    """How chunks are read: the extractor, its version, and what it is set to."""
    graph = settings.graph
    if graph.extractor == "rules":
        return "rules", str(rules.VERSION)
    llm = digest(*map(str, asked_of(settings.llm)))
    return "llm", str(prompt.VERSION), llm, digest_settings(graph.types), str(graph.gleanings)


def key_of(way: tuple[str, ...], text: str, *, is_code: bool) -> str:
    """Of one chunk."""
    return digest("extraction", *way, str(is_code), text)
