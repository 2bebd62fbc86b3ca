"""``tesela summarize``: count over all documents, and keep the result as something to be found."""

from typing import Annotated, Any, Literal

import typer

from cli import cards, ran
from cli.cards_view import Form
from cli.durations import parse_wait
from cli.filtering import PrincipalOption, WhereOption
from cli.options import KbOption, SetOption, WaitOption, plain_app
from cli.workspace import open_workspace, settings_of
from kb.errors import UsageError

app = plain_app()


@app.command()
def summarize(
    group_by: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD[,FIELD…]",
            help="Count by these: fields of the metadata, tags, type, language, folder, source, year, "
            "month, FIELD:year, FIELD:month; of records, their columns.",
            show_default=False,
        ),
    ] = None,
    of: Annotated[
        Literal["documents", "records", "matches"] | None,
        typer.Option(
            help="What is counted: documents; rows of tables and items of CSV and JSON; or matches of "
            "--extract. [default: documents]",
            show_default=False,
        ),
    ] = None,
    where: WhereOption = None,
    value: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="Also add up the numbers of this field.", show_default=False
        ),
    ] = None,
    extract: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="Take fields from the text: 'estado: (?P<estado>\\w+)'; all of them by default what is "
            "counted by.",
            show_default=False,
        ),
    ] = None,
    noun: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="What is counted is called so: cats. [default: as its folder]",
            show_default=False,
        ),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="DATE|today",
            help="Count what is valid on that day; today: on the day of each sync. [default: what holds "
            "without an end]",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="How many groups are named; the rest is one number. [default: 100]",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of the card, which is found as card:NAME. [default: its fields]",
            show_default=False,
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Print the cards there are.")] = False,
    remove: Annotated[
        str | None, typer.Option(metavar="NAME", help="Forget a card.", show_default=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only count and print; nothing is written.")
    ] = False,
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
    asked = {
        "group_by": _fields(group_by),
        "of": of,
        "where": where,
        "value": value,
        "extract": extract,
        "noun": noun,
        "as_of": as_of,
        "top": top,
    }
    _insist(asked, listed, remove, dry_run, name)
    workspace = open_workspace(kb, sets=sets)
    if listed:
        cards.show_cards(workspace, form, principal)
        return
    there = settings_of(workspace.location).cards.counts
    if remove is not None:
        cards.build(workspace, cards.without_count(there, remove), {}, parse_wait(wait))
        return
    new = cards.count_settings({**asked, "name": name or _name(asked)})
    if dry_run:
        cards.preview(workspace, new, form)
        return
    counts = cards.with_count(there, new, named=name is not None)
    cards.insist_on_groups(workspace, new)
    report = cards.build(workspace, counts, {}, parse_wait(wait))
    cards.show_cards(workspace, form, principal, [new.name])
    code = ran.tell_llm(report)
    if code:
        raise typer.Exit(code)


def _fields(group_by: str | None) -> list[str] | None:
    if group_by is None:
        return None
    return [field.strip() for field in group_by.split(",") if field.strip()]


def _name(asked: dict[str, Any]) -> str:
    import re

    if asked["group_by"]:
        return cards.default_name(asked["group_by"])
    return cards.default_name(re.findall(r"\(\?P<(\w+)>", asked["extract"] or "") or ["card"])


def _insist(
    asked: dict[str, Any], listed: bool, remove: str | None, dry_run: bool, name: str | None
) -> None:
    counts = any(found is not None for found in (*asked.values(), name)) or dry_run
    if listed + (remove is not None) + counts > 1:
        raise UsageError("one thing at a time: --group-by or --extract, --list, or --remove NAME")
    if not (listed or remove is not None) and not (asked["group_by"] or asked["extract"]):
        raise UsageError(
            "nothing to count by: --group-by FIELD or --extract REGEX; --list prints the cards there are"
        )
