"""``tesela sync``: all stages, only what changed."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import ran, say
from cli.bundles import with_bundles
from cli.durations import parse_wait
from cli.following import run_sync
from cli.llm import CapOptions
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
from cli.runlog import RunLog, check_report_file, write_report
from cli.workspace import Workspace, open_workspace
from kb.configure import parse_value
from kb.errors import TeselaError, UsageError

if TYPE_CHECKING:
    from index.sync import SyncReport
    from ingest.survey import Request

app = plain_app()


@app.command()
@with_bundles
def sync(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            parser=given_path,
            metavar="[PATH]...",
            help="Files or folders to follow from now on, or parts of a source; "
            "all that is followed by default.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; nothing is written.")
    ] = False,
    form: Annotated[
        Literal["text", "json"] | None,
        typer.Option("--format", help="Of --dry-run. [default: text]", show_default=False),
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Hash every file, whatever its size and time.")
    ] = False,
    retry: Annotated[
        bool,
        typer.Option("--retry", help="Try the files, and an LLM's contexts, that failed before."),
    ] = False,
    max_delete: Annotated[
        str | None,
        typer.Option(
            metavar="N|N%",
            help="Stop where more of a source than this, and more than 10 files, are gone. "
            "[default: 20%]",
            show_default=False,
        ),
    ] = None,
    force_delete: ForceDeleteOption = False,
    follow_links: Annotated[
        bool | None,
        typer.Option(
            "--follow-links/--no-follow-links",
            help="Whether links out of a source are followed; kept for later runs. [default: they are not]",
            show_default=False,
        ),
    ] = None,
    file_timeout: FileTimeoutOption = None,
    file_memory: FileMemoryOption = None,
    *,
    caps: CapOptions,
    wait: WaitOption = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the numbers of the run as JSON.", show_default=False
        ),
    ] = None,
    log_json: Annotated[
        bool, typer.Option("--log-json", help="Talk in JSON, one event a line.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Silent on success.")] = False,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Bring the knowledge base up to date with its folders.

    Reads what is new or edited, forgets what was deleted, embeds only new text, and publishes the
    result in one step. Safe to run from cron; a run that finds nothing to do writes nothing.
    """
    log = RunLog(as_json=log_json, quiet=quiet)
    with _errors_told(log, log_json):
        if form and not dry_run:
            raise UsageError("--format goes with --dry-run")
        check_report_file(report)
        wait_seconds = parse_wait(wait)
        kept = {
            "scan.follow_links": follow_links,
            "parse.file_timeout": file_timeout,
            "parse.file_memory": file_memory,
        }
        limit = None if max_delete is None else parse_value(max_delete)
        workspace = open_workspace(kb, {"sync.max_delete": limit, **kept, **caps.caps()}, sets)
        request = _request(workspace, paths, verify, retry, force_delete)
        if dry_run:
            _dry_run(workspace, request, wait_seconds, form or "text")
            return
        started = time.monotonic()
        done = run_sync(workspace, request, wait_seconds, log, kept)
        code = _tell(done, log, time.monotonic() - started, report)
        if done is not None and done.read.ended is not None:
            raise done.read.ended
    raise typer.Exit(code)


@contextlib.contextmanager
def _errors_told(log: RunLog, log_json: bool) -> Iterator[None]:
    """With ``--log-json`` errors, too, are a line of JSON."""
    try:
        yield
    except TeselaError as error:
        if not log_json:
            raise
        log.error(str(error), error.exit_code)
        raise typer.Exit(error.exit_code) from error


def _request(
    workspace: Workspace, paths: list[Path] | None, verify: bool, retry: bool, force_delete: bool
) -> "Request":
    from ingest.guard import Limit
    from ingest.survey import Request

    limit = Limit.of(workspace.settings.sync.max_delete)  # told now where it does not hold
    return Request(
        paths=tuple(paths) if paths else None,
        verify=verify,
        retry=retry,
        limit=None if force_delete else limit,
    )


def _tell(done: "SyncReport | None", log: RunLog, seconds: float, report: Path | None) -> int:
    numbers = ran.full_report(done, seconds)
    if report is not None:
        write_report(report, numbers)
    if done is None:
        log.done("nothing is followed yet: tesela sync PATH", numbers, 0)
        return 0
    ran.tell_files(done.read, log)
    for text in (*done.read.notes, *done.build.notes):
        log.note(text)
    contexts, derived = done.build.contexts, done.build.derived
    code = 3 if done.read.failed or contexts.failed or derived.failed else 0
    stopped = contexts.stopped or derived.stopped
    if stopped is not None:
        code = stopped.exit_code
    summary = f"{ran.read_summary(done.read)}; {ran.build_summary(done.build)}"
    log.done(f"{summary} ({seconds:.1f} s)", numbers, code)
    ran.tell_llm(done.build, log)
    return code


def _dry_run(workspace: Workspace, request: "Request", wait_seconds: float, form: str) -> None:
    from cli.describing import describing
    from index.estimate import estimate
    from ingest.prepare import prepare
    from kb.lock import unsigned_lock
    from kb.models.llm.plan import Plan
    from kb.store import Store

    plan = Plan()
    location, settings = workspace.location, workspace.settings
    with (
        unsigned_lock(location.lock, wait_seconds, create=False),
        Store.unchanged(location) as store,
        describing(workspace, plan) as describer,
    ):
        prepared = prepare(location, store, settings, request)
        cost = estimate(
            location,
            store,
            settings,
            workspace.embedder,
            prepared,
            describer=describer(),
            retry=request.retry,
            plan=plan,
        )
        found = ran.planned(prepared, cost, plan)
    if form == "json":
        say.data_json(found)
    else:
        _print_plan(found)


def _print_plan(found: dict[str, Any]) -> None:
    counts = [f"{number:,} {kind}" for kind, number in found["counts"].items() if number]
    about = "" if found["exact"] else "about "
    say.data(
        f"{', '.join(counts) or 'no files'}; {about}"
        f"{say.count(found['chunks_to_embed'], 'chunk')} to embed, "
        f"{say.count(found['llm_calls'], 'LLM call')}"
    )
    if found["llm_calls"]:
        say.data(f"  {found['llm']}")
    if found["ocr_pages"]:
        say.data(
            f"  {say.count(found['ocr_pages'], 'page')} for OCR to read, whose text is not counted"
        )
    for kind, files in found["files"].items():
        for file in files:
            if isinstance(file, str):
                say.data(f"  {kind}: {file}")
            elif "from" in file:
                say.data(f"  {kind}: {file['from']} → {file['to']}")
            else:
                say.data(f"  {kind}: {file['path']}: {file['reason']}")
    for text in found["guard"]:
        say.data(f"would stop: {text}")
