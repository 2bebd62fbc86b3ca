"""``tesela index``: build and publish a searchable generation."""

from typing import Annotated

import typer

from cli.durations import parse_wait
from cli.indexing import build, model_flags
from cli.options import KbOption, SetOption, WaitOption, choices, plain_app
from cli.workspace import open_workspace

app = plain_app()


@app.command()
def index(
    engine: Annotated[
        str | None,
        typer.Option(
            metavar=choices("engine"),
            help="What finds the nearest vectors; kept for later runs. [default: exact]",
            show_default=False,
        ),
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            metavar=choices("embedder"),
            help="What makes the vectors; kept for later runs. [default: bundled]",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="The embedder's model: encoder-12 or encoder-6 (bundled), a folder (onnx), "
            "a name (openai, hub); kept for later runs. [default: encoder-12]",
            show_default=False,
        ),
    ] = None,
    tune: Annotated[
        str | None,
        typer.Option(
            metavar="recall=SHARE",
            help="Find the engine's cheapest parameters that find this share of the ten nearest, e.g. "
            "recall=0.97, on these vectors; they are kept for later runs.",
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
    """Build the index, and publish it in one step.

    Another engine is built from the vectors that are there; nothing is embedded twice. For another
    model see also 'tesela reindex'.
    """
    current = open_workspace(kb, sets=sets).settings.embed.embedder
    flags = {"engine.name": engine, **model_flags(embedder, model, current)}
    if tune is None:
        build(kb, flags, sets, rebuild, parse_wait(wait))
        return
    from cli.tuning import build_tuned, parse_target

    build_tuned(kb, flags, sets, parse_target(tune), rebuild, parse_wait(wait))
