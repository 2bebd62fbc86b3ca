"""Whether the first row of a table names its columns."""

import re
from collections import Counter
from collections.abc import Sequence

MAX_NAME = 80  # characters of a column's name
_VALUE = re.compile(
    r"[-+(]?[$€£]?\s?[\d.,'\s]*\d[\d.,'\s]*\)?\s?[%$€£]?"  # numbers and amounts
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d.*)?|\S+@\S+\.\S+|https?://\S+"
    r"|true|false|yes|no|null|none|n/a",
    re.I,
)


def table_start(sample: Sequence[Sequence[str]]) -> int:
    """How many rows at the top (a title, a date) are narrower than the table."""
    widths = Counter(len(row) for row in sample if row)
    if not widths:
        return 0
    usual = max(widths.items(), key=lambda item: (item[1], item[0]))[0]
    if usual < 3:
        return 0
    for number, row in enumerate(sample):
        if _width(row) * 2 > usual:
            return number
    return 0


def has_header(sample: Sequence[Sequence[str]]) -> bool:
    """Whether ``sample[0]`` names the columns of the rows after it.

    Names are words, no two alike, and do not stand in the column below.
    """
    if len(sample) < 2:
        return False
    names = [cell.strip() for cell in sample[0]]
    filled = [name for name in names if name]
    if not filled or len(set(filled)) < len(filled) or len(filled) * 2 < len(names):
        return False
    if any(_VALUE.fullmatch(name) or len(name) > MAX_NAME for name in filled):
        return _years(filled)
    return not any(
        name == row[at].strip()
        for row in sample[1:]
        for at, name in enumerate(names)
        if name and at < len(row)
    )


def _years(names: Sequence[str]) -> bool:
    """Words first, then only years: ``región;2023;2024``."""
    words = [name for name in names if not _VALUE.fullmatch(name)]
    rest = names[len(words) :]
    return bool(words) and all(re.fullmatch(r"(?:19|20)\d\d", name) for name in rest)


def _width(row: Sequence[str]) -> int:
    return sum(1 for cell in row if cell.strip())
