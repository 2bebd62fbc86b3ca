"""``tesela cost``: what LLMs have cost."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import say
from cli.options import KbOption, plain_app
from cli.workspace import open_workspace
from kb.dates import read_days
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.models.llm.ledger import Spent

app = plain_app()
_HEADER = ("day", "stage", "model", "calls", "free", "read", "cached", "written", "cost")
_LEFT = 3  # columns of text


@app.command()
def cost(
    since: Annotated[
        str | None,
        typer.Option(
            metavar="DATE", help="Only from this day, month or year on.", show_default=False
        ),
    ] = None,
    prices: Annotated[
        bool,
        typer.Option(
            "--prices", help="Print the prices that ship, to be edited as .tesela/prices.toml."
        ),
    ] = False,
    form: Annotated[Literal["text", "json"], typer.Option("--format")] = "text",
    kb: KbOption = None,
) -> None:
    """Show what LLMs have cost, by day, stage and model.

    Free are answers from this knowledge base's cache. Read and written are tokens; those of them that
    came from the provider's cache cost what its price says. A call whose answer never came back is
    counted as estimated.
    """
    from kb.models.llm.ledger import spent
    from kb.models.llm.prices import shipped

    if prices:
        say.data(shipped().rstrip())
        return
    rows = [row for row in spent(open_workspace(kb).location.ledger) if _from(since, row.day)]
    if form == "json":
        say.data_json(_json(rows))
        return
    if not rows:
        say.note("no LLM was asked")
        return
    for line in _table(rows):
        say.data(line)
    _tell(rows)


def _from(since: str | None, day: str) -> bool:
    if since is None:
        return True
    days = read_days(since)
    if days is None:
        raise UsageError(f"--since {since!r}: write a day, a month or a year, e.g. 2026-11-30")
    return day >= days.first.isoformat()


def _json(rows: "list[Spent]") -> dict[str, Any]:
    return {
        "spent": [_named(asdict(row)) for row in rows],
        "calls": sum(row.calls for row in rows),
        "unpriced_calls": sum(row.unpriced for row in rows),
        "usd": _dollars(sum(row.picodollars for row in rows)),
    }


def _named(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "day": row["day"],
        "stage": row["stage"],
        "model": row["model"],
        "calls": row["calls"],
        "unanswered_calls": row["unanswered"],
        "unpriced_calls": row["unpriced"],
        "cached_answers": row["free"],
        "prompt_tokens": row["prompt"],
        "cached_tokens": row["cached"],
        "completion_tokens": row["completion"],
        "usd": None
        if row["calls"] and row["unpriced"] == row["calls"]
        else _dollars(row["picodollars"]),
    }


def _dollars(picodollars: int) -> float:
    from kb.models.llm.prices import PER_DOLLAR

    return picodollars / PER_DOLLAR


def _table(rows: "list[Spent]") -> Iterable[str]:
    lines = [_HEADER, *(_line(row) for row in rows)]
    if len(rows) > 1:
        lines.append(_total(rows))
    widths = [max(len(line[i]) for line in lines) for i in range(len(_HEADER))]
    for line in lines:
        cells = (
            cell.ljust(width) if i < _LEFT else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _line(row: "Spent") -> tuple[str, ...]:
    return (row.day, row.stage, row.model, *_numbers([row]))


def _total(rows: "list[Spent]") -> tuple[str, ...]:
    return ("all", "", "", *_numbers(rows))


def _numbers(rows: "list[Spent]") -> tuple[str, ...]:
    sums = (
        sum(getattr(row, name) for row in rows)
        for name in ("calls", "free", "prompt", "cached", "completion")
    )
    return (*(f"{number:,}" for number in sums), _money(rows))


def _money(rows: "list[Spent]") -> str:
    from kb.models.llm.budget import usd

    known = usd(sum(row.picodollars for row in rows))
    calls, unpriced = sum(row.calls for row in rows), sum(row.unpriced for row in rows)
    if not unpriced:
        return known
    return "unknown" if unpriced == calls else f"{known} + unknown"


def _tell(rows: "list[Spent]") -> None:
    lost = sum(row.unanswered for row in rows)
    if lost:
        say.note(f"{say.count(lost, 'call')} without an answer counted as estimated")
    if any(row.unpriced for row in rows):
        say.note("put prices that are not known into .tesela/prices.toml: see tesela cost --prices")
