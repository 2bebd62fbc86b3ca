"""What a run that reads files says at its end, and with which exit code it leaves."""

from typing import TYPE_CHECKING

from cli import say
from kb.errors import PartialFailure

if TYPE_CHECKING:
    from index.build import BuildReport
    from ingest.read import ReadReport


def read_summary(report: "ReadReport") -> str:
    """``2 added, 1 edited, 3 deleted, 24 unchanged``, zeros left out."""
    counts = {
        "added": len(report.added),
        "edited": len(report.edited),
        "deleted": len(report.deleted),
        "unchanged": report.unchanged,
        "failed": len(report.failed),
        "failed before": report.failed_before,
    }
    shown = [f"{number:,} {name}" for name, number in counts.items() if number]
    return ", ".join(shown) or "no files"


def build_summary(report: "BuildReport") -> str:
    """``212 chunks of 30 documents, 9 embedded, generation 2``."""
    state = "published" if report.published else "unchanged"
    return (
        f"{say.count(report.chunks, 'chunk')} of {say.count(report.documents, 'document')}, "
        f"{report.embedded:,} embedded, generation {report.generation} {state}"
    )


def tell_read(report: "ReadReport") -> None:
    """Warnings and failures of the read stage."""
    say.warnings(report.warnings)
    say.failures(report.failed)


def leave(report: "ReadReport") -> None:
    """Exit 3 when a file failed that had not been told before.

    Raises:
        PartialFailure: some files failed; the rest is committed.
    """
    if report.failed:
        failed = say.count(len(report.failed), "file")
        raise PartialFailure(f"{failed} could not be read; the rest is done")
