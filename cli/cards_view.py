"""Cards in every format of ``tesela summarize``."""

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cli import say

if TYPE_CHECKING:
    from index.cards.numbers import Numbers
    from index.cards.saved import SavedCard

Form = Literal["table", "json", "md", "csv"]
_AMOUNTS = ("sum", "mean", "median", "min", "max")


def show(
    cards: "Sequence[SavedCard]",
    form: Form | None,
    texts: Mapping[str, str],
    generation: int | None,
) -> None:
    """Print cards; `texts` are those of their chunks, by path."""
    chosen = form or ("table" if sys.stdout.isatty() else "md")
    if chosen == "json":
        say.data_json(_json(cards, texts, generation))
    elif chosen == "csv":
        _csv(cards)
    else:
        printed: Callable[[SavedCard], Iterator[str]] = _table if chosen == "table" else _md
        for place, card in enumerate(cards):
            for line in [*([""] if place else []), *printed(card)]:
                say.data(line)
            _print_rules(card, texts)


def _json(
    cards: "Sequence[SavedCard]", texts: Mapping[str, str], generation: int | None
) -> dict[str, Any]:
    shown = []
    for card in cards:
        built: dict[str, Any] = msgspec.to_builtins(card)
        paths = built.pop("paths")
        built["chunks"] = [{"path": path, "text": texts[path]} for path in paths if path in texts]
        shown.append({"kind": "card", **built})
    return {"version": 1, "generation": generation, "cards": shown}


def _csv(cards: "Sequence[SavedCard]") -> None:
    writer = csv.writer(say.stream, lineterminator="\n")
    writer.writerow(("card", "fields", "values", "count", "share", *_AMOUNTS))
    for card in cards:
        for group in card.groups:
            row = (card.name, " | ".join(card.fields), " | ".join(group.values), group.count)
            writer.writerow((*row, group.share, *_amounts(group.numbers)))


def _amounts(numbers: "Numbers | None") -> tuple[float | str, ...]:
    if numbers is None:
        return ("",) * len(_AMOUNTS)
    return tuple(getattr(numbers, name) for name in _AMOUNTS)


def _title(card: "SavedCard") -> str:
    fields = ", ".join(card.fields)
    return f"card:{card.name}: {card.total:,} {say.in_line(card.noun)} by {fields}"


def _grid(card: "SavedCard") -> list[tuple[str, ...]]:
    """A header and a row a group, then one of what is not in them."""
    from index.cards.wording import amount, share

    value = card.definition.value
    header = (*card.fields, "count", "share", *(_AMOUNTS if value else ()))
    rows = []
    for group in card.groups:
        known = group.numbers
        amounts = [amount(getattr(known, n), "en") if known else "" for n in _AMOUNTS if value]
        values = map(say.in_line, group.values)
        rows.append((*values, f"{group.count:,}", share(group.count, card.total, "en"), *amounts))
    blank = ("",) * (len(header) - len(card.fields) - 2)
    for name, units in (
        (f"({card.other_groups:,} more)", card.other_units),
        ("(none)", card.without),
    ):
        if units:
            names = (name, *("",) * (len(card.fields) - 1))
            rows.append((*names, f"{units:,}", share(units, card.total, "en"), *blank))
    return [header, *rows]


def _table(card: "SavedCard") -> Iterator[str]:
    yield _title(card)
    grid = _grid(card)
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    left = len(card.fields)
    for row in grid:
        cells = (
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _md(card: "SavedCard") -> Iterator[str]:
    header, *rows = [[cell.replace("|", "\\|") for cell in row] for row in _grid(card)]
    yield _title(card)
    yield ""
    yield f"| {' | '.join(header)} |"
    left = len(card.fields)
    yield "|" + "|".join(" --- " if at < left else " ---: " for at in range(len(header))) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _print_rules(card: "SavedCard", texts: Mapping[str, str]) -> None:
    for path in card.paths:
        if "/rules-" in path and path in texts:
            say.data("")
            for line in texts[path].splitlines():
                say.data(say.folded(line))
