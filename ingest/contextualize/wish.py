"""What a run of the context stage is asked to do besides what is missing."""

from dataclasses import dataclass, field, replace

from kb.errors import BudgetReached, Unavailable

CONTEXTS = "contexts"


@dataclass(frozen=True, slots=True)
class Wish:
    """Of what an LLM says: contexts, and what is derived from chunks."""

    retry: bool = False  # ask again for what failed before
    refresh: bool = (
        False  # and for chunks whose document was edited since, not only the edited ones
    )
    ask: bool = True  # False: take only answers that are in the cache
    only: str = ""  # the stage, or the derivation, that `retry` is for; "": all of them

    def of(self, stage: str) -> "Wish":
        """What is wished of one stage or derivation."""
        meant = self.only in ("", stage)
        return self if meant else replace(self, retry=False)


NOTHING_MORE = Wish()


@dataclass(slots=True)
class ContextReport:
    """What one run of the context stage did."""

    documents: int = 0
    calls: int = 0  # to an LLM
    failed: dict[str, str] = field(default_factory=dict)  # path → why an LLM did not answer
    pending: int = 0  # chunks that an LLM is still to be asked for
    stopped: BudgetReached | Unavailable | None = None  # why that is so
    notes: list[str] = field(default_factory=list)


def told(chunks: int, reason: str) -> str:
    """A failure of a file's contexts, for people."""
    many = "1 chunk" if chunks == 1 else f"{chunks:,} chunks"
    return f"the structural context stands in for the LLM's at {many}: {reason}"
