"""``tesela graph path``: how two entities hang together."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.filtering import PrincipalOption
from cli.graph.opening import first_source, name_of, one_line, open_graph, place
from cli.options import GenerationOption, KbOption

if TYPE_CHECKING:
    from query.graph.paths import Hop
    from query.graph.seen import SeenGraph


def path(
    source: Annotated[str, typer.Argument(metavar="A", help="An entity, by any of its names.")],
    target: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    max_hops: Annotated[
        int, typer.Option(min=1, max=12, metavar="N", help="The longest path that is looked for.")
    ] = 4,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Find the shortest path between two entities.

    Each step with the sentence that it stands on.
    """
    from query.graph.paths import path as find_path

    with open_graph(kb, generation, principal) as seen:
        if seen.why_empty:
            say.note(seen.why_empty)
        starts, ends = seen.find(source), seen.find(target)
        hops = find_path(seen, starts, ends, max_hops)
        if form == "json":
            steps = None if hops is None else [_json(seen, hop) for hop in hops]
            found = {"from": _named(seen, starts), "to": _named(seen, ends), "hops": steps}
            say.data_json(found)
            return
        if hops is None:
            more = f": try --max-hops {max_hops + 2}" if max_hops < 11 else ""
            say.note(
                f"no path of {say.count(max_hops, 'step')} or fewer leads from {source!r} to "
                f"{target!r}{more}"
            )
        elif not hops:
            say.note(f"{source!r} and {target!r} are one entity")
        for hop in hops or ():
            _print(seen, hop)


def _named(seen: "SeenGraph", nodes: list[int]) -> list[dict[str, str]]:
    return [{"id": seen.node(node).id, "name": seen.node(node).name} for node in nodes]


def _print(seen: "SeenGraph", hop: "Hop") -> None:
    edge = seen.edge(hop.edge)
    said = say.in_line(edge.relation)
    link = "—"
    if said:
        link = f"— {said} →" if edge.source == hop.source else f"← {said} —"
    say.data(f"{name_of(seen, hop.source)} {link} {name_of(seen, hop.target)}")
    source = first_source(seen, seen.edge_mentions(hop.edge))
    if source is not None:
        say.data(say.folded(f"    {place(source)}  {one_line(source.text)}"))


def _json(seen: "SeenGraph", hop: "Hop") -> dict[str, Any]:
    from query.graph.export.as_json import source_json

    edge = seen.edge(hop.edge)
    return {
        "from": seen.node(hop.source).name,
        "to": seen.node(hop.target).name,
        "relation": edge.relation,
        "forward": edge.source == hop.source,
        "description": edge.description,
        "weight": edge.weight,
        "sources": [source_json(seen.source(m)) for m in seen.edge_mentions(hop.edge)[:5]],
    }
