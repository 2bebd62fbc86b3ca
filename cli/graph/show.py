"""``tesela graph show``: what the graph knows of an entity."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from cli import say
from cli.filtering import PrincipalOption
from cli.graph.opening import first_source, name_of, one_line, open_graph, place
from cli.options import GenerationOption, KbOption

if TYPE_CHECKING:
    from query.graph.seen import SeenGraph


def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An entity, by any of its names, or by its id.")
    ],
    limit: Annotated[
        int, typer.Option("--limit", min=1, metavar="N", help="Relations and places at most.")
    ] = 10,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Show an entity: names, relations, communities, places.

    Several where different entities share the name.
    """
    with open_graph(kb, generation, principal) as seen:
        if seen.why_empty:
            say.note(seen.why_empty)
        found = seen.find(name)
        if form == "json":
            say.data_json([_json(seen, node, limit) for node in found])
            return
        for node in found:
            _print(seen, node, limit)
            say.data("")


def _print(seen: "SeenGraph", place_of_node: int, limit: int) -> None:
    node, mentions = seen.node(place_of_node), seen.mentions(place_of_node)
    typed = f" ({say.in_line(node.type)})" if node.type else ""
    say.data(f"{say.in_line(node.name)}{typed}  {node.id}")
    if node.description:
        say.data(say.folded(f"    {one_line(node.description, 400)}"))
    others = [say.in_line(alias) for alias in node.aliases if alias != node.name]
    if others:
        say.data(say.folded(f"    also: {', '.join(others)}"))
    for one in _communities(seen, node.id):
        say.data(f"    community: {say.in_line(one['title'])}  {one['path']}")
    _print_relations(seen, place_of_node, limit)
    places = seen.sentences(mentions, limit)
    say.data(f"  named {say.count(len(mentions), 'time')}" + (":" if places else ""))
    for source in places:
        say.data(say.folded(f"    {place(source)}  {one_line(source.text)}"))


def _print_relations(seen: "SeenGraph", node: int, limit: int) -> None:
    pairs = _typed_first(seen, node)
    say.data(f"  {say.count(len(pairs), 'relation')}" + (":" if pairs else ""))
    for other, edge_place in pairs[:limit]:
        edge = seen.edge(edge_place)
        said = say.in_line(edge.relation)
        arrow = "—" if not said else f"{said} →" if edge.source == node else f"← {said}"
        source = first_source(seen, seen.edge_mentions(edge_place))
        where = f"  {place(source)}" if source is not None else ""
        say.data(f"    {arrow} {name_of(seen, other)}{where}")


def _typed_first(seen: "SeenGraph", node: int) -> list[tuple[int, int]]:
    """Relations that say something before mere company, heaviest first."""
    return sorted(seen.neighbours(node), key=lambda pair: not seen.graph.edge(pair[1]).relation)


def _communities(seen: "SeenGraph", node_id: str) -> list[dict[str, Any]]:
    return [
        {"path": one.path, "level": one.level, "title": one.title, "members": len(one.members)}
        for one in seen.communities()
        if node_id in one.members
    ]


def _json(seen: "SeenGraph", place_of_node: int, limit: int) -> dict[str, Any]:
    from query.graph.export.as_json import source_json

    node, mentions = seen.node(place_of_node), seen.mentions(place_of_node)
    pairs = _typed_first(seen, place_of_node)
    shown: dict[str, Any] = msgspec.to_builtins(node)
    shown["communities"] = _communities(seen, node.id)
    shown["relations_in_all"] = len(pairs)
    shown["relations"] = [
        {
            "relation": seen.edge(edge).relation,
            "forward": seen.edge(edge).source == place_of_node,
            "other": {"id": seen.node(other).id, "name": seen.node(other).name},
            "weight": seen.edge(edge).weight,
            "sources": [source_json(seen.source(m)) for m in seen.edge_mentions(edge)[:3]],
        }
        for other, edge in pairs[:limit]
    ]
    shown["mentions"] = len(mentions)
    shown["sources"] = [source_json(source) for source in seen.sentences(mentions, limit)]
    return shown
