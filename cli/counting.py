"""Options of ``tesela summarize``: what is counted, and the LLM that reads cases."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from cli.filtering import WhereOption
from cli.llm import ContextOptions


@dataclass(frozen=True, slots=True)
class CountOptions:
    """What a card counts; None where it was not given."""

    group_by: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD[,FIELD…]",
            help="Count by these: fields of the metadata, tags, type, language, folder, source, year, "
            "month, FIELD:year, FIELD:month; of records, their columns.",
            show_default=False,
        ),
    ] = None
    of: Annotated[
        Literal["documents", "records", "matches"] | None,
        typer.Option(
            help="What is counted: documents; rows of tables and items of CSV and JSON; or matches of "
            "--extract. [default: documents]",
            show_default=False,
        ),
    ] = None
    where: WhereOption = None
    value: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="Also add up the numbers of this field.", show_default=False
        ),
    ] = None
    extract: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="Take fields from the text: 'estado: (?P<estado>\\w+)'; without --group-by they are "
            "what is counted by.",
            show_default=False,
        ),
    ] = None
    noun: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="What the counted things are called: cats. [default: as their folder]",
            show_default=False,
        ),
    ] = None
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="DATE|today",
            help="Count what is valid on that day; today: on the day of each sync. [default: what holds "
            "without an end]",
            show_default=False,
        ),
    ] = None
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=1000,
            help="How many groups are named; the rest is one number. [default: 100]",
            show_default=False,
        ),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of the card, which is then found as card:NAME. [default: its fields]",
            show_default=False,
        ),
    ] = None
    rules: Annotated[
        bool,
        typer.Option(
            "--rules",
            help="Also have an LLM say what the members of each group have in common, with the share of "
            "cases that bear it out.",
        ),
    ] = False

    def given(self) -> dict[str, Any]:
        """As a definition takes them; None for those that were not given."""
        return {
            "name": self.name,
            "group_by": _fields(self.group_by),
            "of": self.of,
            "where": self.where,
            "value": self.value,
            "extract": self.extract,
            "noun": self.noun,
            "as_of": self.as_of,
            "top": self.top,
            "rules": self.rules or None,
        }


@dataclass(frozen=True, slots=True)
class RuleOptions(ContextOptions):
    """Which LLM reads the cases, and what it may cost."""

    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Only count and print, and say what would be asked of the LLM; nothing is written.",
        ),
    ] = False


def _fields(group_by: str | None) -> list[str] | None:
    if group_by is None:
        return None
    return [field.strip() for field in group_by.split(",") if field.strip()]
