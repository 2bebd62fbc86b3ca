"""``tesela init``: make a knowledge base."""

from pathlib import Path
from typing import Annotated

import typer

from cli import say
from cli.options import plain_app
from kb.configure import check_preset, load_settings, preset_names, save_settings
from kb.location import at

app = plain_app()


@app.command()
def init(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="The folder that is to hold it.")
    ] = Path(),
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(preset_names()),
            help="Settings to start from. [default: default]",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make a knowledge base.

    It is a folder .tesela in DIR, here by default.

    Harmless where there is one already; with --preset it changes that one's preset.
    """
    location = at(folder)
    if preset is not None:
        check_preset(preset)
    load_settings()  # TESELA_* variables that do not hold are told before anything is made
    fresh = not location.folder.is_dir()
    location.folder.mkdir(parents=True, exist_ok=True)
    if preset is not None or not location.settings.exists():
        save_settings(location.settings, {"preset": preset or "default"})
    if fresh:
        say.note(f"made: {location.folder}; next: tesela sync PATH")
        return
    kept = "" if preset is None else f"; its preset is {preset} now: the next sync follows it"
    say.note(f"already there: {location.folder}{kept}")
