"""``tesela show``: what the index holds of a hit, a chunk or a document."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import typer

from cli import say
from cli.expanding import ExpandOption, check_expand, left_out, pieces
from cli.filtering import PrincipalOption
from cli.naming import Named, find
from cli.options import GenerationOption, KbOption, plain_app
from cli.reading import show_reading
from cli.standing import stands_on
from cli.workspace import Workspace, open_workspace
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.records import Chunk, Hit

app = plain_app()


@app.command()
def show(
    what: Annotated[
        str,
        typer.Argument(
            metavar="HIT|CHUNK|PATH|PATH:LINE",
            help="A hit of the last query by its number, a chunk's id (or its start), a file, a "
            "place in one, or what a hit of no file is called (summary:…).",
        ),
    ],
    expand: ExpandOption = None,
    elements: Annotated[
        bool,
        typer.Option(
            "--elements", help="What was read of a file: its elements, as parsers found them."
        ),
    ] = False,
    page: Annotated[
        int | None,
        typer.Option(metavar="N", help="What was read of one page of a file.", show_default=False),
    ] = None,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Print a hit, a chunk or a file, as the index holds it.

    With --elements or --page, what was read of a file.
    """
    check_expand(expand, form, ())
    workspace = open_workspace(kb, {"query.expand": expand})
    if elements or page is not None:
        if generation is not None or expand is not None:
            raise UsageError(
                "--elements and --page show what was read last of a file: neither --generation nor "
                "--expand goes with them"
            )
        show_reading(workspace, what, page, form, principal)
        return
    named = find(workspace, what, generation, principal)
    if named.is_document and expand not in (None, "none"):
        raise UsageError(
            f"--expand is for a hit, a chunk or a line, and {what!r} is all of a file: "
            "leave it out, or name a line"
        )
    with named.reader.blaming_damage():
        hits = _hits(workspace, named, expand)
    if form == "json":
        say.data_json([_json(hit, named) for hit in hits])
        return
    for hit in hits:
        _print(hit, hits, named)


def _hits(workspace: Workspace, named: Named, expand: str | None) -> "list[Hit]":
    from kb.records import Hit
    from query.expand import expanded

    kept = named.hit
    hits = [
        Hit(rank, kept.score, chunk, kept.legs, kept.fusion, kept.rerank)
        if kept
        else Hit(rank, 0.0, chunk)
        for rank, chunk in enumerate(named.chunks, kept.rank if kept else 1)
    ]
    if expand is None:
        return hits
    return expanded(hits, named.reader, workspace.settings.query, named.open_rows)


def _json(hit: "Hit", named: Named) -> dict[str, Any]:
    from query.results import expansion_json

    shown: dict[str, Any] = msgspec.to_builtins(hit.chunk)
    if named.hit is not None:
        kept = msgspec.to_builtins(named.hit)
        shown["hit"] = {name: kept[name] for name in ("rank", "score", "legs", "fusion", "rerank")}
    if hit.expanded is not None:
        shown["expanded"] = expansion_json(hit.expanded)
    elif hit.expanded_in is not None:
        shown["expanded"] = {"in": hit.expanded_in}
    return shown


def _print(hit: "Hit", hits: "list[Hit]", named: Named) -> None:
    from cli.hits import why

    chunk = hit.chunk
    lines = f", lines {chunk.lines[0]}-{chunk.lines[1]}" if chunk.lines else ""
    pages = f", page {chunk.pages[0]}" if chunk.pages else ""
    level = f", level {chunk.level}" if chunk.level else ""
    place = f"{say.in_line(chunk.path)}{lines}{pages}{level}"
    say.data(f"# {chunk.id}  {place}, {chunk.tokens} tokens, {chunk.language or 'unknown'}")
    _print_context(chunk)
    for line in why(hit) if named.hit else ():
        say.data(f"# {line}")
    if hit.expanded_in is not None:
        say.data("# its text is above")
    elif hit.expanded is None:
        say.data(chunk.text)
    else:
        _print_expanded(hit, hits)
    derived = chunk.kind != "text"
    for line in stands_on(chunk, named.reader, named.open_rows) if derived else ():
        say.data(f"# {line}")
    say.data("")


def _print_context(chunk: "Chunk") -> None:
    label = "context:"
    for line in chunk.context.splitlines():
        say.data(f"# {label} {line}")
        label = " " * len(label)


def _print_expanded(hit: "Hit", hits: "list[Hit]") -> None:
    from query.leaves import cited

    found = hit.expanded
    assert found is not None
    for text, where in cited(found):
        say.data(f"# {say.in_line(where)}:")
        say.data(text.strip("\n"))
    for text, own in () if found.quotes else pieces(found, hits):
        if text.strip():
            say.data("# the passage:" if own else f"# of the {found.kind}:")
            say.data(text.strip("\n"))
    for line in left_out(found):
        say.data(f"# {line}")
