"""Which character parts the cells of a text table, and where its rows are."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ingest.parse.source_lines import each_line

DELIMITERS = "\t;|,"  # a tie goes to the first: the comma is a decimal sign too
SAMPLE_LINES = 200
SAMPLE_CHARS = 1 << 16
MAX_QUOTED_LINES = 500  # of one row: beyond, a quote was never closed
_SEP = re.compile(r"sep=(.)\r?\n?$", re.I)
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")
Row = tuple[list[str], int, int]  # cells, first and last line from 1


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file writes its table."""

    delimiter: str
    quoted: bool = True
    skipped: int = 0  # lines at the top that are not of the table


def guess(text: str) -> Dialect:
    """The dialect of `text`; a delimiter that no row has gives one column."""
    first = text[: text.find("\n") + 1] or text[:100]
    if match := _SEP.match(first):
        return Dialect(match[1], skipped=1)
    sample = [line for _, line in islice(each_line(text[:SAMPLE_CHARS]), SAMPLE_LINES)]
    if len(sample) > 1 and len(text) > SAMPLE_CHARS:
        sample.pop()  # may be cut
    best = max(DELIMITERS, key=lambda d: _score(sample, d))
    return Dialect(best)


def _score(sample: list[str], delimiter: str) -> tuple[float, int]:
    """The share of rows that have the commonest width, and whether that is more than one."""
    if delimiter == ",":
        sample = [_DECIMAL.sub(".", line) for line in sample] if _decimal(sample) else sample
    widths = Counter(len(cells) for cells, _, _ in _read(sample, delimiter, True) if any(cells))
    if not widths:
        return 0.0, 0
    width, rows = max(widths.items(), key=lambda item: (item[0] > 1, item[1]))
    if width < 2:
        return 0.0, 0
    return round(rows / widths.total(), 1), 1


def _decimal(sample: list[str]) -> bool:
    """Whether another sign parts the cells, so that a comma between digits is a decimal one."""
    return all(any(sign in line for sign in ";\t") for line in sample if line.strip())


def rows(text: str, dialect: Dialect) -> Iterator[Row]:
    """Every row of the table with its lines.

    Raises:
        UnclosedQuote: a row runs on as if a quote was never closed.
    """
    lines = (line for _, line in each_line(text))
    for _ in range(dialect.skipped):
        next(lines, None)
    odd = dialect.quoted and text.count('"') % 2 == 1
    first = last = 0
    for cells, first, last in _read(lines, dialect.delimiter, dialect.quoted):
        if last - first > MAX_QUOTED_LINES:
            raise UnclosedQuote(first + dialect.skipped)
        yield cells, first + dialect.skipped, last + dialect.skipped
    if odd and last > first:  # the last row ran to the end of the file
        raise UnclosedQuote(first + dialect.skipped)


class UnclosedQuote(Exception):
    """A quote opened on the line that is the argument runs on and on."""


def _read(lines: "Iterator[str] | list[str]", delimiter: str, quoted: bool) -> Iterator[Row]:
    csv.field_size_limit(1 << 30)  # the default would refuse a long text in a cell
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(
        (line.replace("\r\n", "\n").replace("\r", "\n") for line in lines),
        delimiter=delimiter,
        quoting=quoting,  # type: ignore[arg-type,unused-ignore]
        skipinitialspace=True,
    )
    before = 0
    for cells in reader:
        yield cells, before + 1, reader.line_num
        before = reader.line_num
