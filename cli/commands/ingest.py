"""``tesela ingest``: read files into the store."""

from pathlib import Path
from typing import Annotated

import typer

from cli import ran, say
from cli.durations import parse_wait
from cli.options import ForceDeleteOption, KbOption, SetOption, WaitOption, given_path, plain_app
from cli.progress import progress
from cli.workspace import open_workspace, writing

app = plain_app()


@app.command()
def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(parser=given_path, metavar="PATH...", help="Files or folders to read."),
    ],
    force_delete: ForceDeleteOption = False,
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Read files and folders: the first stage of sync.

    Questions see the documents once 'tesela index' has run.
    """
    from ingest.guard import Limit
    from ingest.read import read
    from ingest.survey import Request

    workspace = open_workspace(kb, sets=sets)
    limit = None if force_delete else Limit.of(workspace.settings.sync.max_delete)
    request = Request(tuple(paths), limit=limit)
    with writing(workspace, parse_wait(wait)) as store, progress() as advance:
        report = read(workspace.location, store, workspace.settings, advance, request)
    ran.tell_read(report)
    say.note(ran.read_summary(report))
    ran.leave(report)
