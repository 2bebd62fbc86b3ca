"""``tesela graph merge``, ``split``, ``undo`` and ``aliases``: what users decide about names."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import say
from cli.durations import parse_wait
from cli.filtering import PrincipalOption
from cli.graph.opening import open_graph
from cli.indexing import build as build_index
from cli.options import GenerationOption, KbOption, WaitOption
from cli.workspace import Workspace, looking, open_workspace, writing
from kb.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from index.graph.resolve.decisions import Decision

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As the documents write it.")]


def merge(
    name: NameArgument,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Another name of the same thing.")],
    wait: WaitOption = None,
    kb: KbOption = None,
) -> None:
    """Have two names be one entity, now and in later runs.

    'tesela graph undo' takes it back.
    """
    from index.graph.resolve.decisions import MERGE, Decision

    _decide(kb, wait, Decision(MERGE, _key(name), _key(other)), (name, other))


def split(name: NameArgument, wait: WaitOption = None, kb: KbOption = None) -> None:
    """Have a name be an entity by itself, now and in later runs.

    Where it shares its entity with no other name, each document's becomes one of its own.
    """
    from index.graph.resolve.decisions import PART, SPLIT, Decision

    with open_graph(kb, None, None) as seen:
        nodes = seen.graph.named(name)
        alone = nodes and all(_one_key(seen.graph.node(node).aliases) for node in nodes)
    _decide(kb, wait, Decision(PART if alone else SPLIT, _key(name)), (name,))


def undo(
    everything: Annotated[
        bool, typer.Option("--all", help="All that was decided, not only the last.")
    ] = False,
    wait: WaitOption = None,
    kb: KbOption = None,
) -> None:
    """Take back the last merge or split."""
    from index.graph.decisions import decide, decisions_of
    from index.graph.resolve.decisions import in_words

    workspace = open_workspace(kb)
    with writing(workspace, parse_wait(wait)) as store:
        decided = decisions_of(store)
        if not decided:
            raise UsageError("nothing was decided about names: there is nothing to take back")
        decide(store, [] if everything else decided[:-1])
    for decision in decided if everything else decided[-1:]:
        say.note(f"taken back: {in_words(decision)}")
    _rebuild(workspace, kb, wait)


def aliases(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="An entity, by any of its names; without one, what was decided about names.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    generation: GenerationOption = None,
    principal: PrincipalOption = None,
    kb: KbOption = None,
) -> None:
    """List the names of an entity, or what was decided about names."""
    if name is None:
        _print_decisions(kb, generation, principal, form)
        return
    with open_graph(kb, generation, principal) as seen:
        found = [seen.node(node) for node in seen.find(name)]
    if form == "json":
        say.data_json(
            [
                {"id": n.id, "name": n.name, "type": n.type, "aliases": list(n.aliases)}
                for n in found
            ]
        )
        return
    for node in found:
        for alias in node.aliases:
            say.data(say.in_line(alias) if len(found) == 1 else f"{node.id}  {say.in_line(alias)}")


def _print_decisions(
    kb: "Path | None", generation: str | None, principal: str | None, form: str
) -> None:
    from index.graph.decisions import decisions_of
    from index.graph.resolve.decisions import in_words

    with looking(open_workspace(kb)) as store:
        decided = decisions_of(store)
    if decided:
        with open_graph(kb, generation, principal) as seen:
            decided = [d for d in decided if seen.knows(d.one) and seen.knows(d.other or d.one)]
    if form == "json":
        say.data_json([{"kind": d.kind, "one": d.one, "other": d.other} for d in decided])
        return
    if not decided:
        say.note("nothing was decided about names; for those of an entity add its name")
    for decision in decided:
        say.data(in_words(decision))


def _decide(
    kb: "Path | None", wait: str | None, decision: "Decision", names: tuple[str, ...]
) -> None:
    from index.graph.decisions import decide, decisions_of
    from index.graph.resolve.decisions import in_words

    if decision.one == decision.other:
        raise UsageError(
            f"{names[0]!r} and {names[1]!r} are one name already: case, accents and "
            "articles do not count"
        )
    with open_graph(kb, None, None) as seen:
        for name in names:
            if not seen.graph.named(name):
                raise UsageError(
                    f"the graph has no entity named {name!r}: 'tesela graph export' lists all"
                )
    workspace = open_workspace(kb)
    with writing(workspace, parse_wait(wait)) as store:
        decide(store, [*decisions_of(store), decision])
    say.note(f"decided: {in_words(decision)}")
    _rebuild(workspace, kb, wait)


def _rebuild(workspace: Workspace, kb: "Path | None", wait: str | None) -> None:
    """The decision shows in the graph at once, where there is to be one."""
    if workspace.settings.graph.enabled:
        build_index(kb, {}, None, wait_seconds=parse_wait(wait))


def _key(name: str) -> str:
    from index.graph.names import name_key

    key = name_key(name)
    if not key:
        raise UsageError(f"{name!r} holds no letter: give a name as the documents write it")
    return key


def _one_key(aliases: tuple[str, ...]) -> bool:
    from index.graph.names import name_key

    return len({name_key(alias) for alias in aliases}) == 1
