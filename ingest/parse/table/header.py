"""Which rows of a table are its header."""

import re
from collections.abc import Sequence

_DATUM = re.compile(r"[\s\d.,:;/%€$£+\-–()]*\d[\d.,:;/%€$£+\-–()\s]*(?:[^\W\d_]{1,3}\.?)?", re.I)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST_LABEL = 80  # characters


def is_header(row: Sequence[str], following: Sequence[str] | None) -> bool:
    """Whether a first row names the columns of those below it.

    It does when it has two cells or more, fills half of its columns, and none of its cells is a
    number, a date, a long text, or a label that ends in a colon.
    """
    cells = [cell for cell in row if cell]
    if following is None or len(cells) < 2 or len(cells) * 2 < len(row):
        return False
    return all(_is_label(cell) for cell in cells) and list(row) != list(following)


def join_headers(rows: Sequence[Sequence[str]]) -> list[str]:
    """Several header rows as one: ``2023`` above ``Q1`` is ``2023 Q1``."""
    width = max(map(len, rows), default=0)
    joined: list[str] = []
    for column in range(width):
        parts = (row[column] for row in rows if column < len(row) and row[column])
        joined.append(" ".join(dict.fromkeys(parts)))
    return joined


def header_of(text: str) -> str:
    """The header line of a table's text as one line without frame, ``""`` where it has none.

    Reads what `ingest.parse.table.build` writes, and tables of Markdown and reStructuredText.
    """
    lines = [line for line in text.split("\n", 8)[:8] if any(map(str.isalnum, line))]
    if len(lines) < 2:
        return ""
    first, second = (_cells(line) for line in lines[:2])
    return " | ".join(first) if is_header(first, second) else ""


def _cells(line: str) -> list[str]:
    line = line.strip()
    if "|" in line:
        if line.startswith("|") and line.endswith("|"):
            line = line[1:-1]
        return [" ".join(cell.split()) for cell in line.split("|")]
    return re.split(r"\s{2,}|\t", line)


def _is_label(cell: str) -> bool:
    if _YEAR.fullmatch(cell):
        return True
    short = len(cell) <= _LONGEST_LABEL and not cell.endswith(":")
    return short and _DATUM.fullmatch(cell) is None and any(map(str.isalpha, cell))
