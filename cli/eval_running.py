"""What ``tesela eval run`` does besides the run itself."""

from pathlib import Path
from typing import TYPE_CHECKING

from cli import say
from cli.evaluating import Ran, tell_what_is_odd
from kb.errors import PartialFailure, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kb.records import Hit
    from query.evaluate.against import Against
    from query.evaluate.outcome import Failed, Row
    from query.evaluate.verify import Verifier
    from query.trec import DocId

_AGREED = 1e-9


def check(plot: Path | None, docid: str, form: str) -> None:
    """See that options go together, before any work.

    Raises:
        UsageError: they do not.
    """
    if docid == "chunk" and form != "trec":
        raise UsageError(
            "--docid says what --format trec names: add --format trec, or leave it out"
        )
    if plot is not None:
        from kb.plot import save

        save.check(plot)


def cutoffs(text: str | None) -> list[int]:
    """The numbers of ``--at``, rising; [] where it is not given.

    Raises:
        UsageError: they cannot be read.
    """
    from query.evaluate.measures import DEEPEST

    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and 0 < int(part) <= DEEPEST for part in parts):
        raise UsageError(f"--at {text!r}: write whole numbers from 1 to {DEEPEST:,}, e.g. 1,5,10")
    return sorted({int(part) for part in parts})


class Watch:
    """Looks at each question's hits as they come: for a TREC run and for the reference scorer."""

    def __init__(self, form: str, docid: "DocId", verify: bool) -> None:
        self.lines: list[str] = []
        self.verifier: Verifier | None = _verifier() if verify else None
        self._docid: DocId | None = docid if form == "trec" else None

    def __call__(self, row: "Row | Failed", hits: "Mapping[str, list[Hit]]") -> None:
        """Look at one question."""
        from query.evaluate.outcome import Failed
        from query.trec import run_lines

        if isinstance(row, Failed):
            return
        answer = list(hits.values())[-1]
        if self._docid is not None:
            self.lines += run_lines(row.id, answer, self._docid)
        if self.verifier is not None:
            self.verifier.add(row.id, answer, row.targets)


def _verifier() -> "Verifier":
    from query.evaluate.verify import Verifier

    return Verifier()


def paired(ran: Ran, against: str | None) -> "Against | None":
    """The run beside the one that ``--against`` names."""
    if against is None:
        return None
    from query.evaluate.against import compare, read_earlier

    location, outcome = ran.wanted.workspace.location, ran.outcome
    return compare(outcome, *read_earlier(location, against, outcome.rows, outcome.measures))


def show_run(
    ran: Ran,
    watch: Watch,
    form: str,
    paired: "Against | None",
    details: bool,
    plot: Path | None,
) -> None:
    """Print the run, say what is odd about it, and draw it where that is asked for."""
    from cli import evaluated_view

    tell_what_is_odd(ran)
    if form == "trec":
        for line in watch.lines:
            say.data(line)
    else:
        evaluated_view.shown(form, ran, paired, details)
    if watch.verifier is not None:
        off = watch.verifier.largest_difference(ran.outcome)
        said = "equal to" if off <= _AGREED else "NOT equal to"
        say.note(f"values {said} those of ir-measures (largest difference {off:.1e})")
    if plot is not None:
        from kb.plot.save import save
        from query.evaluate.picture import picture

        save(picture(ran.outcome, evaluated_view.title(ran), evaluated_view.names(ran)), plot)
        say.note(f"drawn: {plot}")


def leave(ran: Ran) -> None:
    """Name the questions that failed.

    Raises:
        PartialFailure: some did.
    """
    from cli import evaluated_view

    evaluated_view.failures(ran)
    if ran.outcome.failed:
        failed = say.count(len(ran.outcome.failed), "question")
        raise PartialFailure(f"{failed} could not be asked; the rest is done")
