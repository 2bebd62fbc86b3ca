"""``tesela graph export``: the graph for other programs, or as a page to look at."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import say
from cli.filtering import PrincipalOption
from cli.graph.opening import open_graph
from cli.options import GenerationOption, KbOption, given_path
from kb.errors import UsageError

if TYPE_CHECKING:
    from query.graph.seen import SeenGraph

_ON_A_PAGE, _EDGES_OF_EACH = 2000, 4
_MOST_ON_A_PAGE = 5000  # their places are worked out from all pairs
_Form = Literal["graphml", "json", "html"]


def export(
    form: Annotated[
        _Form,
        typer.Option("--format", help="For Gephi, yEd and networkx; for programs; to look at."),
    ] = "html",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            parser=given_path,
            metavar="FILE",
            help="The file to write. [default: standard output]",
            show_default=False,
        ),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Only the N entities with the heaviest relations. [default: all; 2000 in html]",
            show_default=False,
        ),
    ] = None,
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Write the graph to a file.

    The page of --format html needs no network and no other file: drag, zoom, search, and click an
    entity to read where it is named.
    """
    if form == "html" and nodes is not None and nodes > _MOST_ON_A_PAGE:
        raise UsageError(
            f"--nodes {nodes}: a page shows {_MOST_ON_A_PAGE:,} entities at most; "
            "--format graphml and json take all"
        )
    if output is None and form == "html" and sys.stdout.isatty():
        raise UsageError("a page is for a browser: name a file with -o, e.g. -o graph.html")
    with open_graph(kb, generation, principal) as seen:
        if seen.why_empty:
            say.note(seen.why_empty)
        parts = _parts(seen, form, nodes)
        if output is None:
            for part in parts:
                say.data(part)
            return
        text = "\n".join(parts) + "\n"
        output.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    say.note(
        f"{output}: {say.count(min(len(seen.nodes), _shown(form, nodes)), 'entity', 'entities')}"
    )


def _shown(form: _Form, nodes: int | None) -> int:
    return nodes or (_ON_A_PAGE if form == "html" else sys.maxsize)


def _parts(seen: "SeenGraph", form: _Form, nodes: int | None) -> Iterable[str]:
    from query.graph.export.drawing import draw

    if form == "html":
        from query.graph.export.page import page

        most = nodes or _ON_A_PAGE
        drawing = draw(seen, most, _EDGES_OF_EACH * most)
        return [page(drawing, seen.title)]
    drawing = draw(seen, nodes, sources=20)
    if form == "graphml":
        from query.graph.export.graphml import graphml

        return graphml(drawing)
    import json

    from query.graph.export.as_json import as_json

    return [json.dumps(as_json(drawing), ensure_ascii=False, indent=1)]
