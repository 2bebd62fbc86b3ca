"""From a question to its route."""

from collections.abc import Collection

from kb.records import ChunkKind
from kb.settings import QuerySettings
from query.route.base import Route
from query.route.broad import asks_overview
from query.route.counting import asks_to_count
from query.route.relation import asks_relation

_KINDS: dict[str, tuple[ChunkKind, ...]] = {"tree": ("text", "summary", "card")}
_DERIVED = frozenset({"raptor", "graph", "cards"})
_LOCAL: tuple[ChunkKind, ...] = ("text", "card")
_GLOBAL: tuple[ChunkKind, ...] = ("community", "text", "card")
_VARIED = 0.3  # a question about the whole is not answered by saying one part of it again


def route(text: str, settings: QuerySettings, there: Collection[str]) -> Route:
    """The route of a question.

    Args:
        text: the question.
        settings: ``mode``; "auto" has the question choose.
        there: derived components of the generation.
    """
    if settings.mode == "graph":
        return _of_graph(text, settings)
    if settings.mode != "auto":
        return Route(settings.mode, _KINDS.get(settings.mode, ("text",)))
    if _DERIVED.isdisjoint(there):
        return Route("hybrid")  # there is nothing to choose between
    plain = _without_cards(text, there)
    if "cards" in there and asks_to_count(text):
        return Route("hybrid", ("text", "card"), reason="it asks for a count", otherwise=plain)
    return plain


def _without_cards(text: str, there: Collection[str]) -> Route:
    relation = asks_relation(text) if "graph" in there else ""
    if relation:
        return Route("graph", _LOCAL, reason=f"it asks how things hang together: {relation!r}")
    whole = asks_overview(text)
    if whole and "raptor" in there:
        return Route("tree", _KINDS["tree"], reason=whole)
    if whole and "graph" in there:
        return _overview(whole)
    return Route("hybrid", reason="nothing in it asks for an overview")


def _of_graph(text: str, settings: QuerySettings) -> Route:
    if settings.graph == "auto":
        whole = asks_overview(text)
        return _overview(whole) if whole else Route("graph", _LOCAL)
    return _overview("") if settings.graph == "global" else Route("graph", _LOCAL)


def _overview(reason: str) -> Route:
    """The route of a question about the whole: reports beside passages."""
    return Route("graph", _GLOBAL, _VARIED, reason)
