"""``tesela show``: what the index holds of a chunk or a document."""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import typer

from cli import say
from cli.filtering import PrincipalOption, filter_of
from cli.options import GenerationOption, KbOption, plain_app
from cli.workspace import Workspace, open_workspace
from kb.errors import UsageError

if TYPE_CHECKING:
    from index.reader import GenerationReader
    from kb.records import Chunk
    from query.filter.apply import Mask

app = plain_app()


@app.command()
def show(
    what: Annotated[
        str, typer.Argument(metavar="CHUNK|PATH", help="A chunk's id (or its start) or a file.")
    ],
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Print a chunk or a file as the index holds it."""
    from index.reader import GenerationReader
    from query.filter import readable

    if not what.strip():
        raise UsageError("show what? Name a file, or the id of a chunk or its start")
    workspace = open_workspace(kb)
    reader = GenerationReader.open(workspace.location, generation=generation)
    with reader.blaming_damage():
        open_rows = readable(reader, filter_of(workspace.settings, principal=principal))
        chunks = _of_path(workspace, reader, what, open_rows) or _of_id(reader, what, open_rows)
    if form == "json":
        say.data_json([msgspec.to_builtins(chunk) for chunk in chunks])
        return
    for chunk in chunks:
        _print(chunk)


def _of_path(
    workspace: Workspace, reader: "GenerationReader", what: str, open_rows: "Mask"
) -> "list[Chunk]":
    from pathlib import Path

    written = {what, workspace.location.written(Path(what))}
    documents = reader.chunks.documents
    for number, document in enumerate(documents):
        if document.path in written:
            last = documents[number + 1].first if number + 1 < len(documents) else len(reader)
            return [reader.chunks[row] for row in range(document.first, last) if open_rows[row]]
    return []


def _of_id(reader: "GenerationReader", what: str, open_rows: "Mask") -> "list[Chunk]":
    """As if what may not be read were not there."""
    rows = (row for row in range(len(reader)) if open_rows[row])
    found = [chunk for row in rows if (chunk := reader.chunks[row]).id.startswith(what)]
    if not found:
        raise UsageError(
            f"{what!r} is neither a file nor the id of a chunk in generation "
            f"{reader.manifest.number}: 'tesela status' and 'tesela query --format json' name them"
        )
    if len(found) > 1:
        raise UsageError(f"{what!r} is the start of {len(found)} chunks' ids: write more of it")
    return found


def _print(chunk: "Chunk") -> None:
    lines = f", lines {chunk.lines[0]}-{chunk.lines[1]}" if chunk.lines else ""
    pages = f", page {chunk.pages[0]}" if chunk.pages else ""
    place = f"{say.in_line(chunk.path)}{lines}{pages}"
    say.data(f"# {chunk.id}  {place}, {chunk.tokens} tokens, {chunk.language or 'unknown'}")
    if chunk.context:
        say.data(f"# context: {chunk.context!r}")
    say.data(chunk.text)
    say.data("")
