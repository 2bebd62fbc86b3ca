"""``tesela config``: the settings in force."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer

from cli import say
from cli.options import KbOption, SetOption, plain_app
from cli.workspace import open_workspace, settings_of
from kb.errors import UsageError
from kb.location import Location, find

app = plain_app()


@app.callback()
def config() -> None:
    """Show the settings in force, or where they are kept."""


@app.command()
def show(
    form: Annotated[Literal["toml", "json"], typer.Option("--format")] = "toml",
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Print every setting: preset, then tesela.toml, then TESELA_* variables, then --set."""
    settings = settings_of(_location_if_any(kb), sets=sets)
    tree = msgspec.to_builtins(settings)
    if form == "json":
        say.data_json(tree)
        return
    import tomlkit

    known = {s: {k: v for k, v in keys.items() if v is not None} for s, keys in tree.items()}
    say.data(tomlkit.dumps(known).rstrip())


@app.command()
def path(kb: KbOption = None) -> None:
    """Print where this knowledge base keeps its settings."""
    say.data(str(open_workspace(kb).location.settings))


def _location_if_any(kb: Path | None) -> Location | None:
    try:
        return find(kb)
    except UsageError:
        if kb is not None:
            raise
        return None
