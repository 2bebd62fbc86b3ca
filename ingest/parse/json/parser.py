"""JSON and JSON lines: each record is an element of ``path: value`` lines."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise
from typing import ClassVar

from ingest import language
from ingest.parse.decode import decode
from ingest.parse.json.leaves import BadJson, Leaf, leaves
from ingest.parse.json.records import Fields, records
from ingest.parse.record_text import RecordText
from ingest.parse.sections import MAX_TITLE
from ingest.parse.source_lines import SourceLines, each_line
from ingest.parse.titles import first_title
from kb.records import Document, Element
from kb.settings import ParseSettings

_CONTAINER = re.compile(r"\s*[{\[]")
_PARAGRAPHS = re.compile(r"(?:\r?\n[ \t]*){2,}")
_RECORD_START = re.compile(r"(?m)^[{\[]")
_LANGUAGE_CHARS = 20_000


class JsonParser:
    """JSON, JSON lines, and several values in a row; comments and trailing commas are tolerated.

    ``Document.text`` is extracted. A record is an item of the outermost list, a line of JSON lines, or
    a member of the outermost object; ``parse.json_text`` is its text, ``parse.json_title`` a heading.
    What is not JSON stays as text, with a warning.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self._fields = Fields(settings.json_text, settings.json_title)

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        document, elements = self.begin(data, name)
        return replace(document, elements=tuple(elements))

    def begin(self, data: bytes, name: str) -> tuple[Document, Iterator[Element]]:
        """See `ingest.parse.base.Piecemeal.begin`. Never raises."""
        reading = _Reading(decode(data), self._fields)
        reading.run()
        text, elements = reading.built.finish()
        document = Document(
            text=text,
            elements=(),
            title=first_title([reading.title], name),
            language=language.detect(_prose(text[:_LANGUAGE_CHARS])),
            warnings=(*reading.warnings, *(() if text else ("no text in it",))),
            verbatim=False,
        )
        return document, elements


class _Reading:
    def __init__(self, source: str, fields: Fields) -> None:
        self.built = RecordText("paragraph")
        self.title = ""
        self.warnings: tuple[str, ...] = ()
        self._source = source
        self._fields = fields
        self._starts = SourceLines.of(source).starts
        self._lines = _is_json_lines(source)

    def run(self) -> None:
        """All values of the source, one after the other."""
        at = 0
        bad = 0
        while source_left := self._source[at : at + 1]:
            if source_left.isspace() or source_left == "\ufeff":
                at += 1
                continue
            began = at
            try:
                at = self._value(at)
            except BadJson as error:
                bad += 1
                if bad == 1:
                    self.warnings = (self._complaint(error.at),)
                at = self._kept(began, error.at)
        if bad > 1:
            self.warnings = (*self.warnings, f"{bad} records are not valid JSON")

    def _value(self, at: int) -> int:
        """One value from `at` on, record by record; where it ends."""
        reader = _Leaves(self._source, at)
        if self._lines and _runs_over(self._source, at, self._line_end(at)):
            reader = _Leaves(self._source[at : self._line_end(at)], 0, shift=at)
        for record in records(reader, whole=self._lines):
            if not self._lines:
                self._note_title(record.leaves)
            title, text, path = record.written(self._fields)
            first, last = record.span
            lines = (self._line(first), self._line(max(first, last - 1)))
            if title:
                path = (*path, title[:MAX_TITLE])
                self.built.add(title, lines, path, kind="heading")
            self.built.add(text, lines, path)
        if reader.failed is not None:
            raise reader.failed
        return reader.end

    def _line_end(self, at: int) -> int:
        end = self._source.find("\n", at)
        return len(self._source) if end < 0 else end

    def _note_title(self, found: list[Leaf]) -> None:
        """The title of an object at the top is the document's."""
        name = tuple(self._fields.title.split("."))
        if not self.title:
            self.title = next((leaf.value for leaf in found if leaf.path == name), "")

    def _complaint(self, at: int) -> str:
        line = self._line(at)
        if not self._source[at:].strip():
            return f"not valid JSON: it breaks off on line {line}"
        rest = "that record" if self._lines else "the file"
        return f"not valid JSON on line {line}: the rest of {rest} was kept as text"

    def _kept(self, began: int, at: int) -> int:
        """Keeps what is broken as text, up to the next line that can begin a record."""
        source = self._source
        again = _RECORD_START.search(source, max(at, began + 1)) if self._lines else None
        stop = again.start() if again else len(source)
        start = at
        for gap in [*_PARAGRAPHS.finditer(source, at, stop), None]:
            end = gap.start() if gap else stop
            piece = source[start:end]
            if piece.strip():
                self.built.add(piece, (self._line(start), self._line(max(start, end - 1))))
            start = gap.end() if gap else stop
        return stop

    def _line(self, at: int) -> int:
        return bisect_right(self._starts, at, hi=len(self._starts) - 1) or 1


def _is_json_lines(source: str) -> bool:
    """Whether one of the first lines is a whole value and the next begins another."""
    lines = [line for _, line in islice(each_line(source), 20) if line.strip()]
    return any(_whole(line) and _CONTAINER.match(after) for line, after in pairwise(lines[:8]))


def _whole(line: str) -> bool:
    if not _CONTAINER.match(line):
        return False
    try:
        *_, end = leaves(line)
    except BadJson:
        return False
    return not line[end.end :].strip()


class _Leaves:
    """The leaves of one value; `failed` says afterwards where it is not JSON, `end` where it ends.

    `shift` is added to all offsets.
    """

    def __init__(self, source: str, at: int, shift: int = 0) -> None:
        self._source, self._at, self._shift = source, at, shift
        self.failed: BadJson | None = None
        self.end = at + shift

    def __iter__(self) -> Iterator[Leaf]:
        by = self._shift
        before: Leaf | None = None
        try:
            for leaf in leaves(self._source, self._at):
                if before is not None:
                    yield before
                before = Leaf(leaf.path, leaf.value, leaf.start + by, leaf.end + by) if by else leaf
        except BadJson as error:
            self.failed = BadJson(error.at + by)
            if before is not None:
                yield before
        else:
            self.end = before.end if before is not None else self.end


def _runs_over(source: str, at: int, line_end: int) -> bool:
    """Whether the value at `at` is broken, and what is wrong shows only after the end of its line."""
    try:
        json.loads(source[at:line_end], strict=False)
    except (ValueError, RecursionError):
        pass
    else:
        return False
    try:
        *_, _end = leaves(source, at)
    except BadJson as error:
        return error.at > line_end or source.find("\n", at, error.at) >= 0
    return False


def _prose(text: str) -> str:
    """Values without their names, so that English names do not make Spanish data English."""
    lines = islice(text.split("\n"), 400)
    return "\n".join(re.sub(r"^[\w.\-]{1,60}: ", "", line) for line in lines)
