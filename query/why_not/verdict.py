"""What is said of one document or chunk that somebody misses."""

from dataclasses import dataclass, field
from typing import Any, Literal

from kb.records import Chunk, Freshness, LegScore

Step = Literal[
    "hit",  # it is among the hits
    "unknown",  # nothing is known of it, or whoever asks may not know
    "not indexed",
    "ignored",
    "failed",
    "filter",
    "validity",
    "operator",
    "words",  # no leg has a reason for it
    "depth",
    "fresh",
    "collapse",
    "boost",
    "rerank",
    "prune",
    "diversity",
    "k",
]


@dataclass(frozen=True, slots=True)
class Change:
    """What would bring it; ``rank`` is the place it then has, None where that was not tried."""

    text: str  # "-k 14", "--include-expired", "tesela sync"
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The step that keeps a document out, and how far it came."""

    target: str  # as it was asked for
    step: Step
    reason: str
    chunk: Chunk | None = None  # its best one
    rank: int | None = None  # of a hit, or where it would be without an end to the list
    legs: dict[str, LegScore | None] = field(default_factory=dict)  # beyond the depth, too
    fused: LegScore | None = None
    reranked: LegScore | None = None
    into: str | None = None  # id of the hit it was folded into
    change: Change | None = None
    fresh: Freshness | None = None

    def to_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        chunk, change = self.chunk, self.change
        return {
            "target": self.target,
            "step": self.step,
            "reason": self.reason,
            "id": chunk.id if chunk else None,
            "path": chunk.path if chunk else None,
            "lines": list(chunk.lines) if chunk and chunk.lines else None,
            "rank": self.rank,
            "legs": {name: _placed(leg) for name, leg in self.legs.items()},
            "fused": _placed(self.fused),
            "reranked": _placed(self.reranked),
            "into": self.into,
            "fresh": self.fresh,
            "change": {"text": change.text, "rank": change.rank} if change else None,
        }


def _placed(leg: LegScore | None) -> dict[str, float] | None:
    return {"rank": leg.rank, "score": leg.score} if leg else None
