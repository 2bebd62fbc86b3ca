"""``tesela ingest``: read files into the store."""

from pathlib import Path
from typing import Annotated

import typer

from cli import ran, say
from cli.options import KbOption, SetOption, plain_app
from cli.progress import progress
from cli.workspace import open_workspace, writing

app = plain_app()


@app.command()
def ingest(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH...", help="Files or folders to read.")
    ],
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Read files and folders: the first stage of sync.

    Questions see the documents once 'tesela index' has run.
    """
    from ingest.read import read

    workspace = open_workspace(kb, sets=sets)
    with writing(workspace) as store, progress() as advance:
        report = read(workspace.location, store, workspace.settings, advance, paths)
    ran.tell_read(report)
    say.note(ran.read_summary(report))
    ran.leave(report)
