"""``tesela sync``: all stages, only what changed."""

import time
from pathlib import Path
from typing import Annotated

import typer

from cli import ran, say
from cli.options import KbOption, SetOption, plain_app
from cli.progress import progress
from cli.workspace import open_workspace, writing

app = plain_app()


@app.command()
def sync(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Files or folders to follow from now on; all that are followed by default.",
            show_default=False,
        ),
    ] = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Bring the knowledge base up to date with its folders.

    Reads what is new or edited, forgets what was deleted, embeds only new text, and publishes the
    result in one step. Safe to run from cron; a run that finds nothing to do changes nothing.
    """
    from index.sync import sync as run_sync

    started = time.monotonic()
    workspace = open_workspace(kb, sets=sets)
    with writing(workspace) as store, progress() as advance:
        if not paths and not store.sources():
            say.note("nothing is followed yet: tesela sync PATH")
            return
        report = run_sync(
            workspace.location,
            store,
            workspace.settings,
            workspace.embedder,
            advance,
            paths or None,
        )
    ran.tell_read(report.read)
    for text in report.build.notes:
        say.note(text)
    say.note(
        f"{ran.read_summary(report.read)}; {ran.build_summary(report.build)} "
        f"({time.monotonic() - started:.1f} s)"
    )
    ran.leave(report.read)
