"""CSV, TSV and the like: each row is a record that names its columns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import ClassVar

from ingest import language
from ingest.parse.csv.dialect import Dialect, Row, UnclosedQuote, guess, rows
from ingest.parse.csv.header import MAX_NAME, has_header, table_start
from ingest.parse.decode import decode
from ingest.parse.record_text import RecordText
from ingest.parse.titles import title_from_name
from kb.records import Document, Element
from kb.settings import ParseSettings

SAMPLE_ROWS = 100
LONG_ROW = 400  # characters: above, each cell gets a line of its own
MAX_NAMED = 1 << 25  # characters of a file whose rows repeat the names of their columns
_LANGUAGE_CHARS = 20_000


class CsvParser:
    """Rows as ``name: value | name: value``, or ``value | value`` where no row names the columns.

    ``Document.text`` is extracted; each row is an element with its lines. Delimiter, quotes, encoding
    and header are found in the file. Empty cells are left out.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        document, elements = self.begin(data, name)
        return replace(document, elements=tuple(elements))

    def begin(self, data: bytes, name: str) -> tuple[Document, Iterator[Element]]:
        """See `ingest.parse.base.Piecemeal.begin`. Never raises."""
        source = decode(data)
        dialect = guess(source)
        warnings: tuple[str, ...] = ()
        try:
            built, noted = _build(source, dialect)
        except UnclosedQuote as error:
            warnings = (f"a quote on line {error} is never closed: quotes were read as text",)
            built, noted = _build(source, replace(dialect, quoted=False))
        text, elements = built.finish()
        document = Document(
            text=text,
            elements=(),
            title=title_from_name(name),
            language=language.detect(text[:_LANGUAGE_CHARS].replace(": ", " ").replace("|", ". ")),
            warnings=(*warnings, *noted, *(() if text else ("no text in it",))),
            verbatim=False,
        )
        return document, elements


def _build(source: str, dialect: Dialect) -> tuple[RecordText, tuple[str, ...]]:
    built = RecordText("table")
    reader = rows(source, dialect)
    sample = list(islice(reader, SAMPLE_ROWS))
    start = table_start([cells for cells, _, _ in sample])
    for cells, first, last in sample[:start]:
        built.add(" ".join(filter(None, map(_flat, cells))), (first, last), kind="paragraph")
    table = sample[start:]
    names: list[str] = []
    warnings: tuple[str, ...] = ()
    if has_header([cells for cells, _, _ in table]):
        header = table[0]
        names = [_flat(cell)[:MAX_NAME] for cell in header[0]]
        if len(source) > MAX_NAMED:
            warnings = ("a very long table: its rows do not repeat the names of the columns",)
            names = []
        else:
            table = table[1:]
    for row in chain(table, reader):
        _add(built, names, row)
    return built, warnings


def _add(built: RecordText, names: Sequence[str], row: Row) -> None:
    cells, first, last = row
    shown = [
        f"{names[at]}: {text}" if at < len(names) and names[at] else text
        for at, text in enumerate(map(_flat, cells))
        if text
    ]
    between = "\n" if sum(map(len, shown)) > LONG_ROW else " | "
    built.add(between.join(shown), (first, last))


def _flat(cell: str) -> str:
    return " ".join(cell.split())
