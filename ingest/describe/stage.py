"""Descriptions between the read and the store: which document a file gets, under which key."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import msgspec

from ingest.chunk.windows import windows
from ingest.describe.describer import Described, Describer
from ingest.keys import partly_described
from ingest.look.shown import Shown, decode
from ingest.plan import Step
from ingest.read_report import ReadReport
from ingest.rows import Rows
from ingest.workers.pool import Read
from ingest.workers.wire import Answer
from kb.records import Document, Reading
from kb.store import FileRow

_document = msgspec.json.Decoder(Document).decode


@dataclass(frozen=True, slots=True)
class Made:
    """What becomes of one file."""

    row: FileRow
    reading: Reading | None = None  # None: no document of it is to be kept
    parts: Iterable[bytes] = ()  # the document, in JSON


class Descriptions:
    """Of one run; with no `describer` every document stays as it was read."""

    def __init__(self, rows: Rows, report: ReadReport, describer: Describer | None) -> None:
        self._rows = rows
        self._report = report
        self._describer = describer
        # by key; the same bytes come once, though several files may have them
        self._lacking: dict[str, Described] = {}

    def made(self, step: Step, read: Read) -> Made:
        """The row of a file that was read or tried to read, and its document where it is a new one."""
        answer = read.answer
        if self._describer is None or answer.cause:
            return Made(self._rows.of_read(step, answer), answer.reading, read.parts())
        key = self._rows.key_of(answer)
        if answer.spared:
            outcome = self._lacking.get(key)
            return Made(
                self._rows.of_read(step, answer)
                if outcome is None
                else self._row(step, answer, key, outcome)
            )
        if not answer.pictured or answer.reading is None:
            return Made(self._rows.of_read(step, answer), answer.reading, read.parts())
        outcome = self._describer.describe(whole(map(_document, read.parts())), shown_in(read))
        self._report.described += len(outcome.pages)
        if not outcome.whole or not outcome.document.elements:
            self._lacking[key] = outcome
        reading = _reading(answer.reading, outcome)
        row = self._row(step, msgspec.structs.replace(answer, reading=reading), key, outcome)
        return Made(row, reading if row.parse_key else None, _parts(outcome.document))

    def _row(self, step: Step, answer: Answer, key: str, outcome: Described) -> FileRow:
        if not outcome.problem:
            self._report.undescribed += len(outcome.missing)
        if not outcome.document.elements:
            return self._rows.of_read(step, _nothing(answer, outcome))
        row = self._rows.of_read(step, answer)
        if outcome.whole:
            return row
        own = partly_described(key, outcome.pages, outcome.missing, outcome.problem)
        passing = outcome.may_pass
        return self._rows.lacking(row, step, own, outcome.problem, passing=passing)


def shown_in(read: Read) -> Shown:
    """What a file that was read shows besides its text."""
    return decode(read.shown())


def whole(parts: Iterable[Document]) -> Document:
    """A document of consecutive parts."""
    first, *rest = parts
    texts, elements = [first.text], list(first.elements)
    at = len(first.text)
    for part in rest:
        texts.append(part.text)
        elements += (replace(e, start=e.start + at, end=e.end + at) for e in part.elements)
        at += len(part.text)
    return replace(first, text="".join(texts), elements=tuple(elements))


def _nothing(answer: Answer, outcome: Described) -> Answer:
    """The answer for a file that has no text and no description."""
    why = outcome.problem
    if outcome.missing and not why:
        why = "no text, and its pictures wait to be described: the next sync goes on"
    elif not why:
        why = "no text, and no picture of which a model had anything to say"
    passing = bool(outcome.missing) and outcome.may_pass
    return Answer(answer.sha256, answer.parser, "passing" if passing else "failed", why)


def _reading(reading: Reading, outcome: Described) -> Reading:
    return replace(
        reading,
        elements=len(outcome.document.elements),
        characters=len(outcome.document.text),
        warnings=(*reading.warnings, *outcome.warnings),
    )


def _parts(document: Document) -> Iterator[bytes]:
    return (msgspec.json.encode(window.document) for window in windows(document))
