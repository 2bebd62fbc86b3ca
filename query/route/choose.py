"""From a question to its route."""

from collections.abc import Collection

from kb.records import ChunkKind
from kb.settings import QuerySettings
from query.route.base import Route
from query.route.broad import asks_overview
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
    plain = _without_cards(text, there)
    if "cards" in there and asks_to_count(text):
        return Route("hybrid", ("text", "card"), "it asks for a count", plain)
    return plain


def _without_cards(text: str, there: Collection[str]) -> Route:
    overview = asks_overview(text) if "raptor" in there else ""
    if overview:
        return Route("tree", _KINDS["tree"], overview)
    return Route("hybrid", reason="nothing in it asks for an overview")
