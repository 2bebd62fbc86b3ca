"""``tesela snapshot``: names for generations that are to stay."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from cli import say
from cli.options import KbOption, plain_app
from cli.workspace import open_workspace
from kb import generations, history, snapshots
from kb.errors import TeselaError
from kb.location import Location
from kb.lock import writer_lock

app = plain_app()
_Name = Annotated[str, typer.Argument(metavar="NAME")]


@app.callback()
def snapshot() -> None:
    """Give a generation a name: it stays until the name is removed, and answers as it was."""


@app.command()
def tag(
    name: _Name,
    generation: Annotated[
        str,
        typer.Option(metavar="NAME|NUMBER|DATE", help="The current one by default."),
    ] = "current",
    kb: KbOption = None,
) -> None:
    """Name a generation; 'tesela query --generation NAME' asks it ever after."""
    location = open_workspace(kb).location
    with writer_lock(location.lock):
        number = int(history.resolve(location, generation).name)
        snapshots.tag(location, name, number)
    say.note(f"generation {number} is now {name!r}: it stays until 'tesela snapshot remove {name}'")


@app.command(name="list")
def list_(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    kb: KbOption = None,
) -> None:
    """List the generations that are there, with date, size and names."""
    location = open_workspace(kb).location
    rows = described(location)
    if form == "json":
        say.data_json(rows)
        return
    for row in rows:
        names = ", ".join([*row["tags"], *(["current"] if row["current"] else [])])
        say.data(
            f"{row['generation']:>6}  {row['published'][:16].replace('T', ' ')}  "
            f"{row['documents']:>7,} documents  {row['chunks']:>9,} chunks  {names}".rstrip()
        )


@app.command()
def remove(name: _Name, kb: KbOption = None) -> None:
    """Take a name away; its generation goes with the next clean-up that finds it old."""
    location = open_workspace(kb).location
    with writer_lock(location.lock):
        number = snapshots.untag(location, name)
    say.note(f"{name!r} is free again; generation {number} goes when it is old: 'tesela gc'")


def described(location: Location) -> list[dict[str, Any]]:
    """The generations that are there, oldest first; what cannot be read of one is null."""
    tagged = snapshots.tags(location)
    current = generations.current_number(location)
    return [
        {
            "generation": number,
            "published": when.isoformat(timespec="seconds"),
            "current": number == current,
            "tags": [name for name, n in tagged.items() if n == number],
            **_sizes(generations.folder_of(location, number)),
        }
        for number, when in history.published(location).items()
        if current is None or number <= current
    ]


def _sizes(folder: Path) -> dict[str, Any]:
    try:
        manifest = generations.read_manifest(folder)
    except TeselaError:
        return {"documents": 0, "chunks": 0, "embedder": None, "bytes": 0}
    return {
        "documents": manifest.documents,
        "chunks": manifest.chunks,
        "embedder": manifest.embedder,
        "bytes": sum(entry.size for entry in manifest.files.values()),
    }
