"""``tesela summarize``: count over all documents, and keep the result as something to be found."""

import re
from typing import Annotated, Any

import typer

from cli import cards, ran
from cli.bundles import with_bundles
from cli.cards_view import Form
from cli.counting import CountOptions, RuleOptions
from cli.durations import parse_wait
from cli.filtering import PrincipalOption
from cli.llm import unnamed, without_login
from cli.options import KbOption, SetOption, WaitOption, plain_app
from cli.workspace import Workspace, open_workspace, settings_of
from kb.errors import UsageError

app = plain_app()


@app.command()
@with_bundles
def summarize(
    count: CountOptions,
    listed: Annotated[bool, typer.Option("--list", help="Print the cards there are.")] = False,
    remove: Annotated[
        str | None, typer.Option(metavar="NAME", help="Forget a card.", show_default=False)
    ] = None,
    *,
    model: RuleOptions,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format", help="[default: table on a terminal, md in a pipe]", show_default=False
        ),
    ] = None,
    principal: PrincipalOption = None,
    wait: WaitOption = None,
    kb: KbOption = None,
    sets: SetOption = None,
) -> None:
    """Count over all documents, so that one hit answers "how many".

    Writes a card of counts and shares, "100 cats: 90 black, 10 white", and indexes it; each sync keeps
    it current. Questions meet it in the modes auto, tree and graph.
    """
    asked = count.given()
    once = {**model.named(), **model.caps()}
    _insist_on_one(asked, listed, remove, model)
    workspace = open_workspace(kb, once, sets)
    if listed:
        cards.show_cards(workspace, form, principal)
        return
    there = settings_of(workspace.location).cards.counts
    if remove is not None:
        cards.build(workspace, cards.without_count(there, remove), {}, parse_wait(wait))
        return
    new = cards.count_settings({**asked, "name": count.name or _name(asked)})
    _insist_on_llm(workspace, count.rules, model)
    if model.dry_run:
        cards.preview(workspace, new, form)
        return
    counts = cards.with_count(there, new, named=count.name is not None)
    cards.count_now(workspace, new)
    kept = without_login(model.named())
    report = cards.build(workspace, counts, kept, parse_wait(wait), retry=count.rules)
    cards.show_cards(workspace, form, principal, [new.name])
    code = ran.tell_llm(report)
    if code:
        raise typer.Exit(code)


def _name(asked: dict[str, Any]) -> str:
    fields = asked["group_by"] or re.findall(r"\(\?P<(\w+)>", asked["extract"])
    return cards.default_name(fields or ["card"])


def _insist_on_one(
    asked: dict[str, Any], listed: bool, remove: str | None, model: RuleOptions
) -> None:
    counts = model.given or any(found is not None for found in asked.values())
    if listed + (remove is not None) + counts > 1:
        raise UsageError("one thing at a time: --group-by or --extract, --list, or --remove NAME")
    if not (listed or remove is not None) and not (asked["group_by"] or asked["extract"]):
        raise UsageError(
            "nothing to count by: --group-by FIELD or --extract REGEX; --list prints the cards there are"
        )


def _insist_on_llm(workspace: Workspace, rules: bool, model: RuleOptions) -> None:
    if rules:
        if missing := unnamed(workspace.settings.llm):
            key, option = missing
            raise UsageError(f"--rules has an LLM read cases, and {key} is not set: {option}")
    elif any(value is not None for value in (*model.named().values(), *model.caps().values())):
        raise UsageError("an LLM or its budget is given, and counting asks none: add --rules")
