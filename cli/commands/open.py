"""``tesela open``: a hit's file in an editor or viewer, where the hit stands."""

import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import say
from cli.filtering import PrincipalOption
from cli.naming import Named, find
from cli.opening import editor_command, viewer_command
from cli.options import KbOption, plain_app
from cli.workspace import Workspace, open_workspace
from kb.errors import TeselaError, Unavailable, UsageError

if TYPE_CHECKING:
    from kb.records import Chunk

app = plain_app()


@app.command(name="open")
def open_(
    what: Annotated[
        str,
        typer.Argument(
            metavar="HIT|CHUNK|PATH|PATH:LINE",
            help="A hit of the last query by its number, a chunk's id (or its start), a file, or a "
            "place in one.",
        ),
    ],
    print_: Annotated[
        bool, typer.Option("--print", help="Print the command instead of running it.")
    ] = False,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Open a file where a hit stands.

    Text opens in $VISUAL or $EDITOR, at the line; what has no lines (PDF) in the program that the
    desktop has for it, on the page where that program takes one.
    """
    workspace = open_workspace(kb)
    named = find(workspace, what, None, principal)
    chunk = named.chunks[0]
    if chunk.kind != "text":
        raise UsageError(
            f"{chunk.path} is of no file: 'tesela show {chunk.path}' prints it and the "
            f"{say.count(len(chunk.leaves), 'passage')} that it stands on"
        )
    file = _file(workspace, chunk)
    if chunk.lines is None:
        page = named.page or (chunk.pages[0] if chunk.pages else None)
        command = viewer_command(file, page)
    else:
        command = editor_command(file, _line(named, chunk))
    if print_:
        say.data(shlex.join(command))
        return
    _run(command)


def _line(named: Named, chunk: "Chunk") -> int:
    if named.line is not None:
        return named.line
    return 1 if named.is_document or chunk.lines is None else chunk.lines[0]


def _file(workspace: Workspace, chunk: "Chunk") -> Path:
    from query.fresh import FreshnessCheck

    state = FreshnessCheck(workspace.location).of(chunk)
    path = say.in_line(chunk.path)
    if state == "missing":
        raise UsageError(
            f"{path} is gone since it was indexed: 'tesela show' still has its text, 'tesela sync' "
            "forgets it"
        )
    if state == "changed":
        say.note(f"{path} changed since it was indexed: the place may have moved")
    return workspace.location.absolute(chunk.path)


def _run(command: list[str]) -> None:
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise Unavailable(f"{command[0]} cannot be run: {error.strerror or error}") from error
    if code:
        raise TeselaError(f"{shlex.join(command)} left with exit code {code}")
