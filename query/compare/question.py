"""One question, answered by two variants."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from kb.records import Hit
from query.compare.alike import pairs
from query.evaluate.judge import Measures, Target, measure
from query.evaluate.overlap import overlap, rbo


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit of one variant or of both."""

    a: Hit | None
    b: Hit | None

    @property
    def moved(self) -> int | None:
        """Ranks it stands higher in `b`; None where only one variant has it."""
        return self.a.rank - self.b.rank if self.a and self.b else None


@dataclass(frozen=True)
class Compared:
    """The hits of both, best first."""

    id: str | int
    query: str
    a: Sequence[Hit]
    b: Sequence[Hit]
    targets: tuple[Target, ...] = ()  # what a good answer holds; empty: nobody has said

    @cached_property
    def passages(self) -> list[Passage]:
        """Those of `b` in their order, then those that only `a` has."""
        same = pairs(self.a, self.b)
        there = [
            Passage(self.a[same[place]] if place in same else None, hit)
            for place, hit in enumerate(self.b)
        ]
        kept = set(same.values())
        return there + [Passage(hit, None) for at, hit in enumerate(self.a) if at not in kept]

    @cached_property
    def _names(self) -> tuple[list[str], list[str]]:
        """Names of the hits of each, the same where the passage is."""
        ranked_a = sorted(
            (
                (passage.a.rank, str(number))
                for number, passage in enumerate(self.passages)
                if passage.a
            )
        )
        ranked_b = [str(number) for number, passage in enumerate(self.passages) if passage.b]
        return [name for _, name in ranked_a], ranked_b

    def overlap(self, k: int) -> float:
        """See `query.evaluate.overlap.overlap`."""
        return overlap(*self._names, k)

    @cached_property
    def rbo(self) -> float:
        """See `query.evaluate.overlap.rbo`."""
        return rbo(*self._names)

    def measures(self, k: int) -> tuple[Measures, Measures]:
        """Of each variant; there must be a judgement."""
        return measure(self.a, self.targets, k), measure(self.b, self.targets, k)
