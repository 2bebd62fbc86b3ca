"""``tesela reindex``: the same documents with another model."""

from typing import Annotated

import typer

from cli.durations import parse_wait
from cli.indexing import build, model_flags
from cli.options import KbOption, SetOption, WaitOption, choices, plain_app
from cli.workspace import assignments, open_workspace
from kb.errors import UsageError

app = plain_app()


@app.command()
def reindex(
    embedder: Annotated[
        str | None,
        typer.Option(
            metavar=choices("embedder"),
            help="What is to make the vectors from now on.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Its model: encoder-12 or encoder-6 (bundled), a folder (onnx), "
            "a name (openai, hub).",
            show_default=False,
        ),
    ] = None,
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Embed everything with another model.

    The old index goes on answering meanwhile. The new index and the settings that name its model
    take over in one step. Interrupted, nothing changes, and the next run goes on where this one
    stopped. What --set says of the model (--set embed.url=…) is kept with it.
    """
    of_model = {k: v for k, v in assignments(sets or []).items() if k.startswith("embed.")}
    if embedder is None and model is None and not of_model:
        raise UsageError("reindex with which model? Name --embedder, --model or both")
    current = open_workspace(kb).settings.embed.embedder
    named = {k: v for k, v in model_flags(embedder, model, current).items() if v is not None}
    build(kb, {**of_model, **named}, sets, wait_seconds=parse_wait(wait))
