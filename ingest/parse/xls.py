"""Excel workbooks from before 2007 (xls) and binary ones (xlsb), by calamine."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import TYPE_CHECKING, ClassVar

from ingest.parse.archive import Archive
from ingest.parse.extracted import ExtractedText
from ingest.parse.finished import finished
from ingest.parse.xlsx.formats import general
from ingest.parse.xlsx.regions import add_regions
from ingest.parse.xlsx.sheet import Merges, Row
from kb.errors import ParseError
from kb.records import Document
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

KIND = "Excel workbook"


class XlsParser:
    """A sheet is a heading and a page; see `XlsxParser`.

    Dates are read as such; of other number formats (percent, currency) calamine tells nothing.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, or locked by a password.
        """
        if not data:
            raise ParseError("the file is empty")
        if data.startswith(b"PK"):
            Archive(data, KIND).insist_bounded()
        built = ExtractedText()
        hidden: list[str] = []
        try:
            _book(_open(data), built, hidden)
        except BaseException as error:
            # A panic in Rust comes as a BaseException of a class that cannot be named here.
            if isinstance(error, Exception) or type(error).__name__ == "PanicException":
                raise _broken(error) from error
            raise
        warnings = [f"hidden sheets: {', '.join(hidden)}"] if hidden else []
        return finished(built, name, {}, (), warnings)


def _open(data: bytes) -> "CalamineWorkbook":
    from python_calamine import CalamineWorkbook

    return CalamineWorkbook.from_filelike(BytesIO(data))


def _book(book: "CalamineWorkbook", built: ExtractedText, hidden: list[str]) -> None:
    for page, sheet in enumerate(book.sheets_metadata, 1):
        if not str(sheet.typ).endswith("WorkSheet"):
            continue
        if not str(sheet.visible).endswith("Visible"):
            hidden.append(sheet.name)
        read = book.get_sheet_by_name(sheet.name)
        built.add("heading", sheet.name, level=1, page=page)
        add_regions(built, _rows(read), _merges(read), page)
        if built.elements and built.elements[-1].kind == "heading":
            built.take_back()


def _rows(sheet: "CalamineSheet") -> Iterator[tuple[int, Row]]:
    top, left = sheet.start or (0, 0)
    for number, cells in enumerate(sheet.iter_rows(), top + 1):
        row = {at: text for at, cell in enumerate(cells, left + 1) if (text := _shown(cell))}
        if row:
            yield number, row


def _merges(sheet: "CalamineSheet") -> Merges:
    found = Merges()
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        found.starting.setdefault(top + 1, []).append((left + 1, right + 1, bottom + 1))
    return found


def _shown(cell: object) -> str:
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, int | float):
        return general(float(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00").removesuffix(":00")
    if isinstance(cell, date | time | timedelta):
        return str(cell)
    return str(cell).strip()


def _broken(error: BaseException) -> ParseError:
    if isinstance(error, ParseError):
        return error
    if type(error).__name__ == "PasswordError":
        return ParseError(f"{KIND} locked by a password: save it without one")
    return ParseError(f"broken {KIND}: {' '.join(str(error).split())[:100] or 'damaged'}")
