"""What one run of the parse stage did."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ingest.plan import Plan, Step
from kb.errors import TeselaError

Progress = Callable[[str, int], None]  # stage, units done since the last call


@dataclass(slots=True)
class ReadReport:
    """What one run of the parse stage did, path by path."""

    added: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)  # from, to
    moved: list[tuple[str, str]] = field(default_factory=list)
    copied: list[tuple[str, str]] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)  # same bytes, parsed by other rules
    unchanged: int = 0
    failed: dict[str, str] = field(default_factory=dict)  # new failures, with the reason
    failed_before: int = 0  # unchanged since they were last told
    warnings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # sources that are gone and may be
    described: int = 0  # pages that a model described
    undescribed: int = 0  # pages that wait for a run that may ask more
    calls: int = 0  # to a model
    ended: TeselaError | None = None  # why a model is asked no more; what was read is kept

    @classmethod
    def of(cls, plan: Plan) -> "ReadReport":
        """The start of a report: what needs no work."""
        return cls(unchanged=plan.unchanged, failed_before=plan.failed_before, missing=plan.missing)

    @property
    def notes(self) -> list[str]:
        """What is good to know and no failure."""
        found = [
            f"{root} is not there and stays followed: 'tesela source remove {root}' ends that"
            for root in self.missing
        ]
        if self.described:
            found.append(f"{_pages(self.described)} described by a model")
        if self.undescribed:
            found.append(f"{_pages(self.undescribed)} still to be described: the next sync goes on")
        return found

    def note(self, step: Step) -> None:
        """Count a step that went well."""
        path = step.entry.path
        if step.donor is not None:
            getattr(self, step.kind).append((step.donor.path, path))
        elif step.kind != "settled":  # which the plan has counted
            getattr(self, step.kind).append(path)


def _pages(count: int) -> str:
    return "1 page" if count == 1 else f"{count:,} pages"
