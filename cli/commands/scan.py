"""``tesela scan``: what looks like orders to a language model."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.filtering import PathOption, PrincipalOption, filter_of
from cli.options import GenerationOption, KbOption, SetOption, plain_app
from cli.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from query.planted.scan import Planted

app = plain_app()
_SHOWN = 100  # characters of an excerpt, for eyes


@app.command()
def scan(
    path: PathOption = None,
    form: Annotated[
        Literal["table", "json"] | None,
        typer.Option(
            "--format", help="[default: table on a terminal, json elsewhere]", show_default=False
        ),
    ] = None,
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """List passages that look like orders to a language model.

    In Spanish and English: "ignore previous instructions", another role, marks of turns, hidden or
    encoded text, calls of tools. Tesela obeys none of it; other tools that read the files may.
    """
    from index.reader import GenerationReader
    from query.filter import rows
    from query.planted.scan import scan as look

    workspace = open_workspace(kb, sets=sets)
    chosen = filter_of(workspace.settings, principal=principal, paths=path)
    reader = GenerationReader.open(workspace.location, generation=generation)
    with reader.blaming_damage():
        live = rows(reader, replace(chosen, include_expired=True))
        found = list(look(reader, live))
        looked_at = len(reader) if live is None else int(live.sum())
    if (form or ("table" if sys.stdout.isatty() else "json")) == "json":
        say.data_json([_json(one) for one in found])
    else:
        for one in found:
            _print(workspace, one)
    chunks, passages = {one.chunk.id for one in found}, say.count(looked_at, "passage")
    say.note(f"{len(chunks):,} of {passages} look like orders to a model")


def _json(found: "Planted") -> dict[str, Any]:
    chunk, suspicion = found.chunk, found.suspicion
    return {
        "path": chunk.path,
        "line": found.line,
        "page": chunk.pages[0] if chunk.pages else None,
        "id": chunk.id,
        "rule": suspicion.rule,
        "why": suspicion.why,
        "text": found.excerpt,
    }


def _print(workspace: Workspace, found: "Planted") -> None:
    from cli.hits import place

    chunk, line = found.chunk, found.line
    at = place(workspace.location, replace(chunk, lines=(line, line) if line else None))
    text = found.excerpt.encode("unicode_escape").decode() if _unseen(found) else found.excerpt
    cut = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    say.data(say.folded(f"{at}  {found.suspicion.rule}: {found.suspicion.why}", " " * 8))
    say.data(f"    {cut}")


def _unseen(found: "Planted") -> bool:
    return found.suspicion.rule == "hidden text"
