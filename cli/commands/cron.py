"""``tesela cron``: what to give cron or systemd, so that a knowledge base keeps itself up to date."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import schedule
from cli.options import KbOption, plain_app
from kb.errors import UsageError
from kb.location import find, lexically_absolute

app = plain_app()
_WAIT = "10m"
_HEADS = {
    "crontab": "# a line for 'crontab -e'",
    "service": "# ~/.config/systemd/user/tesela.service",
    "timer": "# ~/.config/systemd/user/tesela.timer, then: systemctl --user enable --now tesela.timer",
}


@app.callback()
def _cron() -> None:
    """Print what has sync run regularly."""


@app.command("print")
def print_(
    every: Annotated[str, typer.Option(metavar="TIME", help="Between two runs.")] = "15m",
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Add what a run says to FILE instead of cron's mail or the journal.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        Literal["crontab", "service", "timer"] | None,
        typer.Option(help="Print one of the three, without the comment.", show_default=False),
    ] = None,
    kb: KbOption = None,
) -> None:
    """Print what has cron or systemd run sync.

    That is a crontab line, and a systemd service and timer. Nothing is installed. A run is silent
    unless something failed; one that finds another at work waits for it.
    """
    from cli import say

    location = find(kb)
    minutes = schedule.minutes(every)
    home = str(location.home)
    command = [*_program(), "sync", "--quiet", "--wait", _WAIT, "--kb", home]
    written = str(lexically_absolute(log)) if log is not None else ""
    made = {
        "crontab": schedule.crontab_line(command, minutes, written),
        "service": schedule.service_unit(command, written, home),
        "timer": schedule.timer_unit(minutes, home),
    }
    if only is not None:
        say.data(made[only].rstrip("\n"))
        return
    say.data("\n\n".join(f"{_HEADS[name]}\n{text.rstrip()}" for name, text in made.items()))


def _program() -> list[str]:
    """This installation's ``tesela`` with its whole path: cron's PATH is short.

    Raises:
        UsageError: there is none beside the interpreter nor on the PATH.
    """
    beside = Path(sys.executable).parent / "tesela"
    if os.access(beside, os.X_OK):
        return [str(beside)]
    found = shutil.which("tesela")
    if found is None:
        raise UsageError("no tesela command is installed to be run by cron: see README, Install")
    return [str(lexically_absolute(Path(found)))]
