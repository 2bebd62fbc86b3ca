"""``tesela contextualize``: write the prefix of each chunk."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import ran, say
from cli.bundles import with_bundles
from cli.durations import parse_wait
from cli.llm import ContextOptions, print_plan, without_login
from cli.options import KbOption, SetOption, WaitOption, choices, plain_app
from cli.progress import progress
from cli.workspace import Workspace, keep, looking, open_workspace, writing
from kb.errors import UsageError

if TYPE_CHECKING:
    from ingest.contextualize.wish import ContextReport, Wish

app = plain_app()


@app.command()
@with_bundles
def contextualize(
    provider: Annotated[
        str | None,
        typer.Option(
            metavar=choices("contextualizer"),
            help="Who writes the prefix; kept for later runs, and so are --llm and --llm-model. "
            "[default: structural]",
            show_default=False,
        ),
    ] = None,
    refresh: Annotated[
        Literal["document"] | None,
        typer.Option(
            help="Ask an LLM again also for those chunks of an edited document that are as they were.",
            show_default=False,
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask an LLM again for the chunks that failed before.")
    ] = False,
    batch: Annotated[
        Literal["submit", "collect"] | None,
        typer.Option(
            help="Leave what is to be asked with the provider's batch service, at its lower price, "
            "or fetch the answers.",
            show_default=False,
        ),
    ] = None,
    *,
    model: ContextOptions,
    form: Annotated[
        Literal["text", "json"] | None,
        typer.Option("--format", help="Of --dry-run. [default: text]", show_default=False),
    ] = None,
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Situate each chunk in its document.

    Writes a short prefix for each: title, heading path, date; or what an LLM says that has read the
    document. It is embedded and indexed with the chunk, and never shown as the source's words. What
    an LLM said stays as long as the chunk does; where it fails, the structural prefix stands in.
    """
    from ingest.contextualize.wish import Wish

    kept = {"context.provider": provider, **without_login(model.named())}
    workspace = open_workspace(kb, {**kept, **model.named(), **model.caps()}, sets)
    asks = refresh is not None or retry or batch is not None
    _insist(workspace, asks or model.given, form is not None and not model.dry_run)
    wish = Wish(retry=retry, refresh=refresh is not None)
    if model.dry_run:
        _plan(workspace, wish, form)
    elif batch is not None:
        from cli.context_batches import collect, submit

        run = submit if batch == "submit" else collect
        run(workspace, kept, wish, parse_wait(wait))
    else:
        _write(workspace, kept, wish, parse_wait(wait))


def _write(workspace: Workspace, kept: dict[str, Any], wish: "Wish", wait_seconds: float) -> None:
    from ingest.pipeline import check_provider, chunk_documents, contextualize_chunks

    check_provider(workspace.settings)
    embedder = workspace.embedder  # a model that is not there is told before anything is kept
    with writing(workspace, wait_seconds) as store, progress() as advance:
        keep(workspace, kept)
        chunk_documents(store, workspace.settings, embedder, advance)
        done = contextualize_chunks(store, workspace.settings, embedder, advance, wish)
    tell(workspace, done)


def tell(workspace: Workspace, done: "ContextReport") -> None:
    """Say what was done, and leave with its exit code."""
    for text in done.notes:
        say.note(text)
    say.note(
        f"contexts of {say.count(done.documents, 'document')} written by "
        f"{workspace.settings.context.provider}; next: tesela index"
    )
    code = ran.tell_contexts(done)
    if code:
        raise typer.Exit(code)


def _insist(workspace: Workspace, asks: bool, form_alone: bool) -> None:
    if form_alone:
        raise UsageError("--format goes with --dry-run")
    provider = workspace.settings.context.provider
    if asks and provider != "llm":
        raise UsageError(
            "an LLM, its budget, --dry-run, --refresh, --retry or --batch is given, and contexts are "
            f"written by {provider}: add --provider llm, or leave it out"
        )


def _plan(workspace: Workspace, wish: "Wish", form: str | None) -> None:
    from index.estimate import estimate_contexts
    from ingest.pipeline import check_provider

    check_provider(workspace.settings)
    with looking(workspace) as store:
        plan = estimate_contexts(
            workspace.location, store, workspace.settings, workspace.embedder, wish
        )
    print_plan(plan, form)
