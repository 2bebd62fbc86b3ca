"""``tesela doctor``: is the knowledge base whole, and if not, what mends it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.durations import parse_wait
from cli.options import KbOption, WaitOption, plain_app
from cli.progress import progress
from cli.workspace import Workspace, open_workspace
from kb.errors import TeselaError, UsageError
from kb.location import find

if TYPE_CHECKING:
    from index.health.base import Finding

app = plain_app()
_ROUNDS = 3  # a generation that was built anew leaves the damaged one as an old one


@app.command()
def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Mend what can be mended.")] = False,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    wait: WaitOption = None,
    kb: KbOption = None,
) -> None:
    """Check everything, and say what mends what is wrong.

    Leaves with exit code 1 when something is wrong; notes are no harm.
    """
    if wait is not None and not fix:
        raise UsageError("--wait is for --fix, which writes: a check waits for nobody")
    wait_seconds = parse_wait(wait)
    found = _examine(kb)
    done: list[str] = []
    for _ in range(_ROUNDS):
        if fix and any(finding.remedy for _, finding in found):
            done += _mend(kb, found, wait_seconds)
            found = _examine(kb)
    wrong = any(finding.wrong for _, finding in found)
    if form == "json":
        say.data_json({"sound": not wrong, "done": done, "findings": [_json(*f) for f in found]})
    else:
        _print(found, done, wrong)
    if wrong:
        raise typer.Exit(1)


def _examine(kb: Path | None) -> "list[tuple[str, Finding]]":
    from index.health.base import Checkup
    from index.health.table import examine

    location = find(kb)
    workspace, error = _workspace(kb)

    def load() -> Any:
        if workspace is None:
            raise TeselaError(error)
        return workspace.embedder

    settings = workspace.settings if workspace is not None else None
    return list(examine(Checkup(location, settings, error, load)))


def _workspace(kb: Path | None) -> tuple[Workspace | None, str]:
    try:
        return open_workspace(kb), ""
    except TeselaError as error:
        return None, str(error)


def _mend(kb: Path | None, found: "list[tuple[str, Finding]]", wait_seconds: float) -> list[str]:
    from index.health.mend import Mender
    from kb.lock import writer_lock

    workspace = open_workspace(kb)
    with writer_lock(workspace.location.lock, wait_seconds), progress() as advance:
        mender = Mender(workspace.location, workspace.settings, lambda: workspace.embedder, advance)
        return list(mender.mend(finding for _, finding in found))


def _print(found: "list[tuple[str, Finding]]", done: list[str], wrong: bool) -> None:
    from index.health.table import CHECKS

    for line in done:
        say.data(f"done: {line}")
    for name, finding in found:
        say.data(f"{'wrong' if finding.wrong else 'note'}: {name}: {finding.what}")
        say.data(f"       → {finding.mend}")
    if not wrong:
        say.data(f"sound: {say.count(len(CHECKS), 'check')}, nothing wrong")


def _json(name: str, finding: "Finding") -> dict[str, Any]:
    return {
        "check": name,
        "wrong": finding.wrong,
        "what": finding.what,
        "mend": finding.mend,
        "fixable": finding.remedy is not None,
    }
