"""``tesela raptor``: trees of summaries over the chunks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.bundles import with_bundles
from cli.durations import parse_wait
from cli.filtering import PrincipalOption
from cli.indexing import build as build_index
from cli.llm import ContextOptions, unnamed, without_login
from cli.options import GenerationOption, KbOption, SetOption, WaitOption, plain_app
from cli.workspace import Workspace, looking, open_workspace
from kb.errors import UsageError

if TYPE_CHECKING:
    from index.raptor.outline import Outline

app = plain_app()


@app.callback()
def raptor() -> None:
    """Keep trees of summaries over the chunks.

    Chunks that are about the same are summarised together, these summaries again, and so on; a question
    about the whole then finds a summary. Once built, 'tesela sync' keeps them current.
    """


@app.command()
@with_bundles
def build(
    scope: Annotated[
        Literal["corpus", "folder", "document"] | None,
        typer.Option(
            help="What has a tree of its own; kept for later runs. [default: corpus]",
            show_default=False,
        ),
    ] = None,
    summarizer: Annotated[
        Literal["extractive", "llm"] | None,
        typer.Option(
            help="Whose words: the sources' own sentences, or an LLM's; kept for later runs, and so are "
            "--llm and --llm-model. [default: extractive]",
            show_default=False,
        ),
    ] = None,
    max_levels: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="At most so many levels of summaries; kept for later runs. [default: 8]",
            show_default=False,
        ),
    ] = None,
    rebuild_if: Annotated[
        str | None,
        typer.Option(
            metavar="drift>SHARE",
            help="Grow trees anew when they have drifted further ('tesela raptor stats' tells how far), "
            "now and in later runs; '' for never. [default: drift>0.2]",
            show_default=False,
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask an LLM again for the summaries that failed before.")
    ] = False,
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
    """Build the trees, or bring them up to date, and publish them with the index.

    What did not change is taken over: only summaries of what changed, and those above them, are made
    again. Documents are read by 'tesela sync'.
    """
    named = {
        "raptor.enabled": True,
        "raptor.scope": scope,
        "raptor.summarizer": summarizer,
        "raptor.max_levels": max_levels,
        "raptor.rebuild_if": rebuild_if,
    }
    once = {**model.named(), **model.caps()}
    workspace = open_workspace(kb, {**named, **once}, sets)
    asks = retry or any(value is not None for value in once.values())
    _insist(workspace, asks, form is not None and not model.dry_run)
    if model.dry_run:
        _plan(workspace, retry, form)
        return
    kept = {**named, **without_login(model.named())}
    build_index(
        kb, kept, sets, wait_seconds=parse_wait(wait), once=once, retry="raptor" if retry else ""
    )
    say.note(_in_words(_stats(workspace, None)))


@app.command()
def show(
    node: Annotated[
        str | None,
        typer.Argument(
            metavar="[NODE]",
            help="A summary, by its id, its beginning, or summary:ID as hits name it; all trees by default.",
            show_default=False,
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Levels below the first. [default: 2 for the tree, all for the other forms]",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        Literal["table", "json", "dot", "html"],
        typer.Option("--format", help="A tree for the terminal, or for programs and browsers."),
    ] = "table",
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """Show the trees, from the top.

    'tesela show summary:ID' prints one summary and what it quotes.
    """
    from cli import raptor_drawn, raptor_tree

    workspace = open_workspace(kb)
    if depth is None and form == "table":
        depth = raptor_tree.DEPTH
    found = _outline(workspace, node, depth, generation, principal)
    if form == "json":
        say.data_json(raptor_drawn.as_json(found))
    elif form == "table":
        if not found.items:
            say.note("there is nothing to show: too few chunks, or none that whoever asks may read")
        for line in raptor_tree.lines(found, workspace.location):
            say.data(line)
    else:
        draw = raptor_drawn.as_dot if form == "dot" else raptor_drawn.as_html
        for line in draw(found):
            say.data(line)


@app.command()
def stats(
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    generation: GenerationOption = None,
    kb: KbOption = None,
) -> None:
    """Say what the trees hold, and how far they have drifted.

    Drift is the share of chunks that are left alone in their cluster or have come to lie nearer to the
    middle of another than to that of any of their own, beyond the share that lay so when the tree was
    grown.
    """
    found = _stats(open_workspace(kb), generation)
    if form == "json":
        say.data_json(found)
        return
    say.data(_in_words(found))
    for level in found["levels"]:
        say.data(
            f"level {level['level']}: {say.count(level['summaries'], 'summary', 'summaries')} of "
            f"{level['mean_members']} members on average, {level['most_members']} at most; a member is in "
            f"{level['memberships']} clusters; {level['mean_tokens']} tokens"
        )
    for name, what in (
        (
            "stood_in",
            "in the sources' words, where the LLM failed: 'tesela raptor build --retry' asks it",
        ),
        ("pending", "still to be asked for: 'tesela raptor build' goes on"),
    ):
        if found[name]:
            say.data(f"{say.count(found[name], 'summary', 'summaries')} {what}")


@app.command()
def off(wait: WaitOption = None, kb: KbOption = None) -> None:
    """Do without trees: the index is published without them.

    What an LLM said stays in the cache, so that building them again asks nothing twice.
    """
    build_index(kb, {"raptor.enabled": False}, None, wait_seconds=parse_wait(wait))


def _insist(workspace: Workspace, asks: bool, form_alone: bool) -> None:
    if form_alone:
        raise UsageError("--format goes with --dry-run")
    settings = workspace.settings
    if settings.raptor.summarizer == "llm":
        if missing := unnamed(settings.llm):
            key, option = missing
            raise UsageError(
                f"an LLM is to write the summaries, and {key} is not set: add {option}"
            )
    elif asks:
        raise UsageError(
            "an LLM, its budget or --retry is given, and summaries are "
            f"{settings.raptor.summarizer}: add --summarizer llm, or leave it out"
        )


def _plan(workspace: Workspace, retry: bool, form: str | None) -> None:
    from index.raptor.foresee import foresee
    from index.reader import GenerationReader
    from kb.models.llm.prices import dollars

    reader = GenerationReader.open(workspace.location)
    with looking(workspace) as store:
        found = foresee(
            workspace.location, store, workspace.settings, workspace.embedder, reader, retry=retry
        )
    if form == "json":
        say.data_json(
            {
                "levels": [
                    {"level": level, "summaries": both[0], "new": both[1]}
                    for level, both in enumerate(zip(found.levels, found.new, strict=False), 1)
                ],
                "llm": {
                    "calls": found.llm.calls,
                    "prompt_tokens": found.llm.prompt,
                    "completion_tokens": found.llm.completion,
                    "usd": dollars(found.llm.picodollars),
                },
            }
        )
        return
    levels = " + ".join(f"{count:,}" for count in found.levels) or "no"
    many = say.count(len(found.levels), "level")
    say.data(
        f"{many}, the lowest first: {levels} {_summaries(found.levels)}, {sum(found.new):,} to be made; "
        f"{found.llm.in_words}"
    )


def _stats(workspace: Workspace, generation: str | None) -> dict[str, Any]:
    from index.raptor.stats import stats
    from index.reader import GenerationReader

    reader = GenerationReader.open(workspace.location, generation=generation)
    with reader.blaming_damage():
        return stats(reader)


def _in_words(found: dict[str, Any]) -> str:
    counts = [level["summaries"] for level in found["levels"]]
    levels = " + ".join(f"{count:,}" for count in counts) or "no"
    return (
        f"{say.count(found['trees'], 'tree')} over {say.count(found['leaves_in_trees'], 'chunk')}: "
        f"{levels} {_summaries(counts)} ({found['summarizer']}, one tree a {found['scope']}), "
        f"drift {found['drift']:.2f}"
    )


def _summaries(levels: Sequence[int]) -> str:
    return "summary" if sum(levels) == 1 else "summaries"


def _outline(
    workspace: Workspace,
    node: str | None,
    depth: int | None,
    generation: str | None,
    principal: str | None,
) -> "Outline":
    from cli.naming import opened
    from index.raptor.outline import outline

    reader, readable = opened(workspace, generation, principal)
    with reader.blaming_damage():
        return outline(reader, readable.tolist(), node, depth)
