"""A whole batch: lines in, results and a manifest out."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from query.batch import manifest
from query.batch.in_order import in_order
from query.batch.lines import Line
from query.batch.manifest import BatchManifest, Counts, Time
from query.batch.results import ResultsFile, count, skip_done
from query.batch.session import Answer, Session
from query.trec import DocId, run_lines

Form = Literal["jsonl", "trec"]


@dataclass(frozen=True, slots=True)
class Done:
    """An answer as it is written."""

    id: str | int
    text: str  # whole lines, none of them for a TREC run without hits
    hits: int
    error: str


Tell = Callable[[Done], None]


@dataclass(frozen=True, slots=True)
class Batch:
    """What is to be done with each line, and by how many threads."""

    session: Session
    jobs: int
    form: Form = "jsonl"
    docid: DocId = "path"

    def answers(self, lines: Iterator[Line]) -> Iterator[Done]:
        """The answers in the order of the lines, as they are written."""
        with self.session.reader.blaming_damage():
            yield from in_order(self._answer, lines, self.jobs)

    def _answer(self, line: Line) -> Done:
        answer = self.session.answer(line)
        hits = answer.results.hits if answer.results else []
        if self.form == "jsonl":
            text = _json_line(answer)
        else:
            text = "".join(f"{run}\n" for run in run_lines(str(line.id), hits, self.docid))
        return Done(answer.id, text, len(hits), answer.error)


def to_stream(
    batch: Batch, lines: Iterator[Line], write: Callable[[str], object], tell: Tell
) -> Counts:
    """Answer all lines into a stream."""
    counts = Counts()
    for done in batch.answers(lines):
        _add(done, counts, write, tell)
    return counts


def to_file(
    batch: Batch,
    lines: Iterator[Line],
    results: Path,
    run: BatchManifest,
    resume: bool,
    tell: Tell,
) -> Counts:
    """Answer all lines into a file with its manifest, or those that it does not hold yet.

    Args:
        batch: what to do.
        lines: the questions, from the first.
        results: the file; whole lines at any moment.
        run: the manifest of the run that begins; `counts`, `time` and `finished` are set at its end.
        resume: keep the lines that are there.
        tell: called after each line that is written.

    Raises:
        UsageError: the run cannot go on where the file ends.
    """
    began, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    run.counts, keep = Counts(), 0
    if resume and results.exists():
        manifest.check_same(results, run)
        run.counts, keep = skip_done(results, lines)
    manifest.write(results, run)
    with ResultsFile(results, keep) as out:
        for done in batch.answers(lines):
            _add(done, run.counts, out.write, tell)
    run.finished = True
    run.time = Time(started=began, seconds=round(time.monotonic() - clock, 3))
    manifest.write(results, run)
    return run.counts


def _add(done: Done, counts: Counts, write: Callable[[str], object], tell: Tell) -> None:
    if done.text:
        write(done.text)
    count(counts, done.hits, bool(done.error))
    tell(done)


def _json_line(answer: Answer) -> str:
    shown = answer.results.to_json() if answer.results else {"error": answer.error}
    return msgspec.json.encode({"id": answer.id, **shown}).decode() + "\n"
