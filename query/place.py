"""Places as hits are printed: ``docs/a.md:12`` and ``docs/a.pdf#page=3``."""

import re
from dataclasses import dataclass

from kb.records import Chunk

_LINE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(:[0-9]*)?")
_PAGE = re.compile(r"(?P<path>.+)#page=(?P<page>[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Place:
    """A line or a page of a file, counted from 1."""

    path: str
    line: int | None = None
    page: int | None = None

    @property
    def kind(self) -> str:
        """``line`` or ``page``."""
        return "line" if self.page is None else "page"

    def is_in(self, chunk: Chunk) -> bool:
        """Whether the chunk holds something of it."""
        bounds, at = (chunk.pages, self.page) if self.page is not None else (chunk.lines, self.line)
        return bounds is not None and at is not None and bounds[0] <= at <= bounds[1]


def read_place(what: str) -> Place | None:
    """None where `what` names neither a line nor a page."""
    if by_page := _PAGE.fullmatch(what):
        return Place(by_page["path"], page=int(by_page["page"]))
    if by_line := _LINE.fullmatch(what):
        return Place(by_line["path"], line=int(by_line["line"]))
    return None
