"""From a question to its route."""

from collections.abc import Collection

from kb.records import ChunkKind
from kb.settings import QuerySettings
from query.route.base import Route
from query.route.counting import asks_to_count

_KINDS: dict[str, tuple[ChunkKind, ...]] = {
    "tree": ("text", "summary", "card"),
    "graph": ("text", "community", "card"),
}


def route(text: str, settings: QuerySettings, there: Collection[str]) -> Route:
    """The route of a question.

    Args:
        text: the question.
        settings: ``mode``; "auto" has the question choose.
        there: derived components of the generation.
    """
    if settings.mode != "auto":
        return Route(settings.mode, _KINDS.get(settings.mode, ("text",)))
    if "cards" in there and asks_to_count(text):
        plain = Route("hybrid", reason="it asks for a count that no card tells")
        return Route("hybrid", ("text", "card"), "it asks for a count", plain)
    return Route("hybrid", reason="nothing in it asks for an overview")
