"""``tesela contextualize``: write the prefix of each chunk."""

from typing import Annotated

import typer

from cli import say
from cli.durations import parse_wait
from cli.options import KbOption, SetOption, WaitOption, choices, plain_app
from cli.progress import progress
from cli.workspace import keep, open_workspace, writing

app = plain_app()


@app.command()
def contextualize(
    provider: Annotated[
        str | None,
        typer.Option(
            metavar=choices("contextualizer"),
            help="Who writes the prefix; kept for later runs.",
            show_default=False,
        ),
    ] = None,
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Situate each chunk in its document.

    Writes a short prefix for each: title, heading path, date. It is embedded and indexed with the
    chunk, and never shown as the source's words.
    """
    from ingest.pipeline import chunk_documents, contextualize_chunks

    flags = {"context.provider": provider}
    workspace = open_workspace(kb, flags, sets)
    embedder = workspace.embedder  # a model that is not there is told before anything is kept
    with writing(workspace, parse_wait(wait)) as store, progress() as advance:
        keep(workspace, flags)
        chunk_documents(store, workspace.settings, embedder, advance)
        done = contextualize_chunks(store, workspace.settings, embedder, advance)
    say.note(
        f"contexts of {say.count(done, 'document')} written by {workspace.settings.context.provider}"
        "; next: tesela index"
    )
