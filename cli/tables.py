"""Rows for people (aligned, Markdown) and for programs (CSV)."""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cli import say


@dataclass(frozen=True, slots=True)
class Column:
    """A key of the rows, its heading, and how a value is shown to people."""

    key: str
    heading: str
    shown: Callable[[object], str] = str
    left: bool = False


Row = Mapping[str, object]


def aligned(columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """A line a row; numbers to the right."""
    lines = [[c.heading for c in columns], *(_cells(columns, row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    for line in lines:
        cells = (
            cell.ljust(width) if column.left else cell.rjust(width)
            for column, cell, width in zip(columns, line, widths, strict=True)
        )
        say.data("  ".join(cells).rstrip())


def markdown(columns: Sequence[Column], rows: Sequence[Row]) -> None:
    """A table as Markdown has it."""
    say.data(f"| {' | '.join(column.heading for column in columns)} |")
    say.data(f"| {' | '.join('---' if column.left else '---:' for column in columns)} |")
    for row in rows:
        say.data(f"| {' | '.join(_cells(columns, row))} |")


def as_csv(rows: Sequence[Row]) -> None:
    """All keys of the first row, values as they are; None is empty."""
    if rows:
        out = csv.DictWriter(say.stream, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def _cells(columns: Sequence[Column], row: Row) -> list[str]:
    return [
        "-" if row[column.key] is None else say.in_line(column.shown(row[column.key]))
        for column in columns
    ]
