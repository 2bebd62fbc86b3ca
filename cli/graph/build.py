"""``tesela graph build`` and ``off``: have a graph, or do without."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli.bundles import with_bundles
from cli.durations import parse_wait
from cli.indexing import build as build_index
from cli.llm import ContextOptions, print_plan, unnamed, without_login
from cli.options import KbOption, SetOption, WaitOption
from cli.workspace import Workspace, looking, open_workspace
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.models.llm.plan import Plan


@with_bundles
def build(
    extractor: Annotated[
        Literal["rules", "llm"] | None,
        typer.Option(
            help="Who reads the chunks: rules for Spanish and English, or an LLM; kept for later runs, and "
            "so are --llm and --llm-model. [default: rules]",
            show_default=False,
        ),
    ] = None,
    reports: Annotated[
        Literal["extractive", "llm"] | None,
        typer.Option(
            help="Whose words the reports on communities are: the sources' own, or an LLM's; kept for "
            "later runs. [default: extractive]",
            show_default=False,
        ),
    ] = None,
    gleanings: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=5,
            help="Rounds that ask an LLM for what it left out; kept for later runs. [default: 0]",
            show_default=False,
        ),
    ] = None,
    types: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="What an LLM may call an entity; kept for later runs. "
            "[default: person,organization,place,event,object,concept]",
            show_default=False,
        ),
    ] = None,
    retry: Annotated[
        bool, typer.Option("--retry", help="Ask an LLM again about the chunks that failed before.")
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
    """Build the graph or bring it up to date, and publish it.

    Only chunks whose text is new are read. Documents are read by 'tesela sync', which keeps the graph
    current once it is built.
    """
    named = {
        "graph.enabled": True,
        "graph.extractor": extractor,
        "graph.reports": reports,
        "graph.gleanings": gleanings,
        "graph.types": _types(types),
    }
    once = {**model.named(), **model.caps()}
    workspace = open_workspace(kb, {**named, **once}, sets)
    told = (gleanings, types, *once.values())
    asks = retry or model.dry_run or any(value is not None for value in told)
    _insist(workspace, asks, form is not None and not model.dry_run)
    if model.dry_run:
        print_plan(_plan(workspace, retry), form)
        return
    kept = {**named, **without_login(model.named())}
    build_index(
        kb, kept, sets, wait_seconds=parse_wait(wait), once=once, retry="graph" if retry else ""
    )


def off(wait: WaitOption = None, kb: KbOption = None) -> None:
    """Do without a graph: the index is published without it.

    What was read and decided stays, so that building it again asks nothing twice.
    """
    build_index(kb, {"graph.enabled": False}, None, wait_seconds=parse_wait(wait))


def _types(given: str | None) -> list[str] | None:
    if given is None:
        return None
    types = [one.strip() for one in given.split(",") if one.strip()]
    if not types:
        raise UsageError("--types names no type: write person,place or the like")
    return types


def _insist(workspace: Workspace, asks: bool, form_alone: bool) -> None:
    if form_alone:
        raise UsageError("--format goes with --dry-run")
    settings = workspace.settings
    if "llm" in (settings.graph.extractor, settings.graph.reports):
        if missing := unnamed(settings.llm):
            key, option = missing
            raise UsageError(f"an LLM is to be asked, and {key} is not set: add {option}")
    elif asks:
        raise UsageError(
            "an LLM, its budget, --gleanings, --types, --dry-run or --retry is given, and the graph is "
            "made by rules: add --extractor llm or --reports llm, or leave it out"
        )


def _plan(workspace: Workspace, retry: bool) -> "Plan":
    from index.graph.foresee import foresee

    with looking(workspace) as store:
        return foresee(workspace.location, store, workspace.settings, retry=retry)
