"""``tesela index``: build and publish a searchable generation."""

from typing import Annotated

import typer

from cli import ran, say
from cli.durations import parse_duration
from cli.options import KbOption, SetOption, WaitOption, choices, plain_app
from cli.progress import progress
from cli.workspace import keep, open_workspace, writing

app = plain_app()


@app.command()
def index(
    engine: Annotated[
        str | None,
        typer.Option(
            metavar=choices("engine"),
            help="What finds the nearest vectors; kept for later runs.",
            show_default=False,
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            metavar=choices("embedder"),
            help="What makes the vectors; kept for later runs.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="The embedder's model: encoder-12 or encoder-6 (bundled), a folder (onnx), "
            "a name (openai, hub); kept for later runs.",
            show_default=False,
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build every part anew, from kept vectors.")
    ] = False,
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Build the index over what was read, and publish it in one step.

    Another engine is built from the vectors that are there; nothing is embedded twice.
    """
    from index.sync import index_documents

    flags = {"engine.name": engine, "embed.embedder": embedder, "embed.model": model}
    workspace = open_workspace(kb, flags, sets)
    with writing(workspace, parse_duration(wait or "0")) as store, progress() as advance:
        report = index_documents(
            workspace.location,
            store,
            workspace.settings,
            workspace.embedder,
            advance,
            rebuild=rebuild,
        )
        keep(workspace, flags)
    for text in report.notes:
        say.note(text)
    say.note(f"{ran.build_summary(report)}, engine {workspace.settings.engine.name}")
