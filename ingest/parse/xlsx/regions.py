"""A sheet's rows as tables and lines of text: blank rows part them."""

from bisect import insort
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from ingest.parse.extracted import ExtractedText
from ingest.parse.table.build import add_table
from ingest.parse.xlsx.sheet import Merges, Row

_LOOKED_AT = 200  # rows that say which columns a table has
_MOST_LATE = 1000  # columns; those that later rows add to as many stand at their end
Numbered = tuple[int, Row]


def add_regions(built: ExtractedText, rows: Iterable[Numbered], merges: Merges, page: int) -> None:
    """Append what the rows of one sheet say.

    A row of one cell above a table is a line of text, a run of rows with several cells is a table.
    """
    ahead = _Peekable(rows)
    while (first := ahead.peek()) is not None:
        if _is_line(first, ahead):
            number, row = ahead.take()
            merges.apply(number, row)
            built.add("paragraph", next(iter(row.values())), page=page)
        else:
            add_table(built, _texts(_region(ahead), merges), page=page)


class _Peekable:
    """Rows with a look at the next two."""

    def __init__(self, rows: Iterable[Numbered]) -> None:
        self._rows = iter(rows)
        self._ahead: list[Numbered] = []

    def peek(self, offset: int = 0) -> Numbered | None:
        while len(self._ahead) <= offset:
            row = next(self._rows, None)
            if row is None:
                return None
            self._ahead.append(row)
        return self._ahead[offset]

    def take(self) -> Numbered:
        self.peek()
        return self._ahead.pop(0)


def _is_line(first: Numbered, ahead: _Peekable) -> bool:
    """Whether a row of one cell stands alone; where the next row has one, too, they are a column."""
    number, row = first
    if len(row) > 1:
        return False
    following = ahead.peek(1)
    return following is None or following[0] != number + 1 or len(following[1]) > 1


def _region(ahead: _Peekable) -> Iterator[Numbered]:
    """Rows up to the next blank one."""
    last = None
    while (following := ahead.peek()) is not None and last in (None, following[0] - 1):
        last = following[0]
        yield ahead.take()


def _texts(rows: Iterator[Numbered], merges: Merges) -> Iterator[list[str]]:
    """Rows as lists of texts over the columns that the table uses."""
    start = list(islice(rows, _LOOKED_AT))
    columns = sorted({column for _, row in start for column in row})
    for at, (number, row) in enumerate(chain(start, rows)):
        merges.apply(number, row)
        cells = merges.across(number, row) if at == 0 else row
        late = sorted(row.keys() - set(columns))
        for column in late if len(columns) < _MOST_LATE else ():
            insort(columns, column)
        beyond = [row[column] for column in late] if len(columns) >= _MOST_LATE else []
        yield [*(cells.get(column, "") for column in columns), *beyond]
