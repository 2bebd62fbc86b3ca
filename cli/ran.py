"""What a run that reads files says at its end, and with which exit code it leaves."""

from typing import TYPE_CHECKING, Any

from cli import say
from kb.errors import BudgetReached, PartialFailure, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cli.runlog import RunLog
    from index.build import BuildReport
    from index.estimate import Estimate
    from index.sync import SyncReport
    from ingest.contextualize.wish import ContextReport
    from ingest.prepare import Prepared
    from ingest.read_report import ReadReport
    from kb.models.llm.plan import Plan

CHANGES = ("added", "edited", "deleted", "renamed", "moved", "copied", "touched")


def read_summary(report: "ReadReport") -> str:
    """``2 added, 1 edited, 3 deleted, 24 unchanged``, zeros left out."""
    counts = {
        **file_counts(report),
        "parsed again": len(report.again),
        "unchanged": report.unchanged,
        "failed": len(report.failed),
        "failed before": report.failed_before,
    }
    shown = [f"{number:,} {name}" for name, number in counts.items() if number]
    return ", ".join(shown) or "no files"


def file_counts(report: "ReadReport") -> dict[str, int]:
    """How many files of each kind of change."""
    return {kind: len(getattr(report, kind)) for kind in CHANGES}


def full_report(report: "SyncReport | None", seconds: float) -> dict[str, Any]:
    """What ``--report`` writes; None: nothing is followed, nothing was done.

    Documents that were parsed again by other rules count as unchanged: their files are.
    """
    from ingest.read_report import ReadReport

    read = report.read if report else ReadReport()
    return {
        **file_counts(read),
        "unchanged": read.unchanged + len(read.again),
        "failed": len(read.failed),
        "chunks": report.build.chunks if report else 0,
        "embedded": report.build.embedded if report else 0,
        "llm_calls": read.calls + (_llm_calls(report.build) if report else 0),
        "seconds": round(seconds, 3),
        "generation": report.build.generation if report else None,
        "published": report.build.published if report else False,
        "contexts_failed": len(report.build.contexts.failed) if report else 0,
        "contexts_pending": report.build.contexts.pending if report else 0,
        "derived": dict(report.build.derived.chunks) if report else {},
        "derived_failed": len(report.build.derived.failed) if report else 0,
        "derived_pending": report.build.derived.pending if report else 0,
    }


def _llm_calls(build: "BuildReport") -> int:
    return build.contexts.calls + build.derived.calls


def build_summary(report: "BuildReport") -> str:
    """``212 chunks of 30 documents, 9 embedded, generation 2``."""
    state = "published" if report.published else "unchanged"
    return (
        f"{say.count(report.chunks, 'chunk')} of {say.count(report.documents, 'document')}, "
        f"{report.embedded:,} embedded, generation {report.generation} {state}"
    )


def tell_read(report: "ReadReport") -> None:
    """Notes, warnings and failures of the read stage."""
    for text in report.notes:
        say.note(text)
    say.warnings(report.warnings)
    say.failures(report.failed)


def tell_files(report: "ReadReport", log: "RunLog") -> None:
    """What happened to each file, as far as the log goes into it."""
    for kind in (*CHANGES, "again"):
        for item in getattr(report, kind):
            was, path = item if isinstance(item, tuple) else ("", item)
            log.file(kind, path, was)
    for path, texts in report.warnings.items():
        for text in texts:
            log.warning(path, text)
    for path, reason in report.failed.items():
        log.failure(path, reason)


def planned(prepared: "Prepared", cost: "Estimate", plan: "Plan") -> dict[str, Any]:
    """What ``--dry-run`` says; `plan` holds what would be asked of an LLM."""
    from kb.models.llm.prices import dollars

    files: dict[str, list[Any]] = {kind: [] for kind in (*CHANGES, "again")}
    for step in prepared.plan.steps:
        path = step.entry.path
        if step.kind in ("failed", "settled") or path in cost.failing:
            continue
        files[step.kind].append({"from": step.donor.path, "to": path} if step.donor else path)
    files["deleted"] = [row.path for row in prepared.plan.deleted]
    files["failed"] = [{"path": p, "reason": r} for p, r in sorted(cost.failing.items())]
    return {
        "version": 1,
        "counts": {
            **{kind: len(found) for kind, found in files.items()},
            "unchanged": prepared.plan.unchanged,
            "failed before": prepared.plan.failed_before,
        },
        "files": files,
        "new_sources": [row.root for row in prepared.plan.new_sources],
        "chunks_to_embed": cost.chunks_to_embed,
        "exact": cost.exact,
        "ocr_pages": cost.ocr_pages,
        "llm_calls": plan.calls,
        "llm_tokens": plan.prompt + plan.completion,
        "llm_usd": dollars(plan.picodollars),
        "llm": plan.in_words,
        "guard": prepared.objections,
    }


def tell_llm(build: "BuildReport", log: "RunLog | None" = None) -> int:
    """Say where an LLM did not answer, and why it was not asked to the end; returns the exit code.

    Raises:
        BudgetReached, Unavailable: as `tell_contexts`.
    """
    code = tell_contexts(build.contexts, log)
    derived = build.derived
    _tell_failed(derived.failed, log)
    if derived.stopped is not None:
        left = say.count(derived.pending, "answer")
        what = f"what needs no LLM stands in at {left} that it is still to be asked for"
        raise _of_kind(derived.stopped)(f"{derived.stopped}; {what}")
    return PartialFailure.exit_code if derived.failed else code


def tell_contexts(report: "ContextReport", log: "RunLog | None" = None) -> int:
    """Say where an LLM gave no context, and why it was not asked to the end; returns the exit code.

    Raises:
        BudgetReached: a cap stopped the asking; all else is done.
        Unavailable: the service did.
    """
    _tell_failed(report.failed, log)
    if report.stopped is not None:
        left = say.count(report.pending, "chunk")
        where = f"the structural context stands in at {left} that the LLM is still to be asked for"
        raise _of_kind(report.stopped)(f"{report.stopped}; {where}")
    return PartialFailure.exit_code if report.failed else 0


def _tell_failed(failed: "Mapping[str, str]", log: "RunLog | None") -> None:
    for path, reason in failed.items():
        if log is not None:
            log.failure(path, reason)
        else:
            say.failures({path: reason})


def _of_kind(stopped: BudgetReached | Unavailable) -> type[BudgetReached] | type[Unavailable]:
    return BudgetReached if isinstance(stopped, BudgetReached) else Unavailable


def leave(report: "ReadReport") -> None:
    """Exit 3 when a file failed that had not been told before.

    Raises:
        BudgetReached, Unavailable: a model could not be asked all; the rest is committed.
        PartialFailure: some files failed; the rest is committed.
    """
    if report.ended is not None:
        raise report.ended
    if report.failed:
        failed = say.count(len(report.failed), "file")
        raise PartialFailure(f"{failed} could not be read; the rest is done")
