"""``tesela snapshot``: names for generations that are to stay."""

from typing import Annotated, Literal

import typer

from cli import say
from cli.commands.status import generation_line
from cli.durations import parse_wait
from cli.options import KbOption, WaitOption, plain_app
from cli.workspace import open_workspace
from kb import history, snapshots
from kb.lock import writer_lock

app = plain_app()
_Name = Annotated[str, typer.Argument(metavar="NAME", help="A name such as before-audit.")]


@app.callback()
def snapshot() -> None:
    """Give a generation a name, so that it stays."""


@app.command()
def tag(
    name: _Name,
    generation: Annotated[
        str,
        typer.Option(
            metavar="NAME|NUMBER|DATE", help="A snapshot, a generation, or the newest of a date."
        ),
    ] = "current",
    wait: WaitOption = None,
    kb: KbOption = None,
) -> None:
    """Name a generation.

    'tesela query --generation NAME' asks it ever after.
    """
    location = open_workspace(kb).location
    with writer_lock(location.lock, parse_wait(wait)):
        number = int(history.resolve(location, generation).name)
        snapshots.tag(location, name, number)
    say.note(f"generation {number} is now {name!r}: it stays until 'tesela snapshot remove {name}'")


@app.command(name="list")
def list_(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    kb: KbOption = None,
) -> None:
    """List the generations that are there.

    Each with its date, size and names.
    """
    from index.facts import generations_facts

    location = open_workspace(kb).location
    rows = generations_facts(location)
    if form == "json":
        say.data_json(rows)
        return
    for row in rows:
        say.data(generation_line(row))


@app.command()
def remove(name: _Name, wait: WaitOption = None, kb: KbOption = None) -> None:
    """Take a name away.

    Its generation goes with the next clean-up that finds it old.
    """
    location = open_workspace(kb).location
    with writer_lock(location.lock, parse_wait(wait)):
        number = snapshots.untag(location, name)
    say.note(f"{name!r} is free again; generation {number} goes when it is old: 'tesela gc'")
