"""``tesela config``: the settings in force."""

from typing import Annotated, Literal

import msgspec
import typer

from cli import say
from cli.options import KbOption, SetOption, plain_app
from cli.workspace import location_if_any, open_workspace, settings_of

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
    """Print every setting that is in force.

    The stronger overrides: preset, then tesela.toml, then TESELA_* variables, then --set.
    """
    settings = settings_of(location_if_any(kb), sets=sets)
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
