"""``tesela ingest``: read files into the store."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import ran, say
from cli.describing import describing
from cli.durations import parse_wait
from cli.ingest_report import print_report
from cli.options import (
    FileMemoryOption,
    FileTimeoutOption,
    ForceDeleteOption,
    KbOption,
    SetOption,
    WaitOption,
    given_path,
    plain_app,
)
from cli.progress import progress
from cli.workspace import keep_new, open_workspace, without_kb, writing
from kb.errors import UsageError

app = plain_app()


@app.command()
def ingest(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            parser=given_path,
            metavar="[PATH]...",
            help="Files or folders to read; all that is followed by default.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            parser=given_path,
            metavar="FILE",
            help="Store nothing; show what each way of reading makes of a PDF or an image.",
            show_default=False,
        ),
    ] = None,
    question: Annotated[
        str,
        typer.Option(metavar="TEXT", help="With --compare: what each way finds for it."),
    ] = "",
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Then print, for each file, what was read of it, also where that was long ago.",
        ),
    ] = False,
    form: Annotated[
        Literal["table", "json"] | None,
        typer.Option(
            "--format",
            help="Of --report and --compare. [default: table on a terminal, else json for --report]",
            show_default=False,
        ),
    ] = None,
    file_timeout: FileTimeoutOption = None,
    file_memory: FileMemoryOption = None,
    force_delete: ForceDeleteOption = False,
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Read files and folders: the first stage of sync.

    Questions see the documents once 'tesela index' has run.
    """
    if compare is not None:
        _compare(compare, question, paths, report, form, kb, sets)
        return
    if question:
        raise UsageError("--question goes with --compare FILE")
    from ingest.guard import Limit
    from ingest.prepare import prepare
    from ingest.read import carry_out
    from ingest.survey import Request

    if form and not report:
        raise UsageError("--format goes with --report or --compare FILE")
    flags = {"parse.file_timeout": file_timeout, "parse.file_memory": file_memory}
    workspace = open_workspace(kb, flags, sets)
    limit = Limit.of(workspace.settings.sync.max_delete)
    request = Request(tuple(paths) if paths else None, limit=None if force_delete else limit)
    with writing(workspace, parse_wait(wait)) as store, describing(workspace) as describer:
        prepared = prepare(workspace.location, store, workspace.settings, request)
        prepared.insist()
        keep_new(workspace, flags)
        who = describer()
        with progress() as advance:
            done = carry_out(prepared.plan, store, workspace.settings, advance, describer=who)
        ran.tell_read(done)
        followed = paths or store.sources() or store.files()
        say.note(
            ran.read_summary(done) if followed else "nothing is followed yet: tesela ingest PATH"
        )
        if report:
            print_report(workspace.location, store, paths, form)
    ran.leave(done)


def _compare(
    file: Path,
    question: str,
    paths: list[Path] | None,
    report: bool,
    form: str | None,
    kb: Path | None,
    sets: list[str] | None,
) -> None:
    from cli.comparing import compare_file

    if paths or report:
        raise UsageError("--compare takes the place of PATH and --report: name one file")
    compare_file(without_kb(kb, sets), file, question.strip(), form == "json")
