"""What the derivations of one build did."""

from dataclasses import dataclass, field

from index.derived.base import Made
from kb.errors import BudgetReached, Unavailable


@dataclass(slots=True)
class DerivedReport:
    """Added up over the derivations that were made, not taken over."""

    chunks: dict[str, int] = field(default_factory=dict)  # derivation → what it made
    notes: list[str] = field(default_factory=list)
    calls: int = 0  # to an LLM
    pending: int = 0  # answers that it is still to be asked for
    failed: dict[str, str] = field(default_factory=dict)  # what it did not answer → why
    stopped: BudgetReached | Unavailable | None = None  # why answers are pending

    def add(self, name: str, made: Made) -> None:
        """Take in what one derivation did."""
        self.chunks[name] = len(made.chunks)
        self.notes += made.notes
        self.calls += made.calls
        self.pending += made.pending
        self.failed |= made.failed
        self.stopped = self.stopped or made.stopped
