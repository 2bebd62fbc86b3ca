"""Stops a run that would forget much: more often a disk is not mounted than a folder is emptied."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.errors import UsageError
from kb.records import SourceFile
from kb.store import FileRow

if TYPE_CHECKING:
    from ingest.plan import Plan
    from ingest.survey import Survey

FEW = 10  # files that may go whatever share they are


@dataclass(frozen=True, slots=True)
class Limit:
    """How many of a source's documents may leave in one run."""

    text: str  # as it was given
    share: float | None  # of the source; None: `number` counts
    number: int = 0

    @classmethod
    def of(cls, given: int | str) -> "Limit":
        """From ``"20%"`` or a number.

        Raises:
            UsageError: it is neither.
        """
        text = str(given).strip()
        digits = text.removesuffix("%")
        if not (digits.isascii() and digits.isdigit()) or isinstance(given, bool):
            raise UsageError(f"max_delete is {given!r}: write a share such as 20% or a number")
        if digits == text:
            return cls(text, None, int(text))
        if int(digits) > 100:
            raise UsageError(f"max_delete is {given!r}: a share is at most 100%")
        return cls(text, int(digits) / 100)

    def exceeded(self, gone: int, total: int) -> bool:
        """Whether `gone` of `total` documents are too many."""
        if self.share is None:
            return gone > self.number
        return gone > FEW and gone > self.share * total


def objections(plan: "Plan", survey: "Survey", known: Iterable[FileRow], limit: Limit) -> list[str]:
    """Why the plan should not be carried out unasked, one sentence a source; empty: it may be."""
    totals = Counter(row.source for row in known if row.parse_key)
    gone = Counter(row.source for row in plan.deleted)
    there = {entry.source for entry in survey.found if isinstance(entry, SourceFile)}
    found = []
    for source in survey.sources:
        total, lost = totals[source.root], gone[source.root]
        emptied = lost == total and source.root not in there
        if total and (emptied or source.root in survey.missing):
            found.append(
                f"{source.root} is missing or empty, and {total:,} of its documents are indexed"
            )
        elif limit.exceeded(lost, total):
            found.append(
                f"{lost:,} of the {total:,} documents of {source.root} are gone, "
                f"more than --max-delete {limit.text}"
            )
    return found


WAY_OUT = (
    "nothing was changed. Where they are really to go: --force-delete, a higher --max-delete, or "
    "'tesela source remove'"
)
