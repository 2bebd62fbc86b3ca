"""What a run on a test set comes to: a row for each question, means for each ranking."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from query.evaluate.bootstrap import Difference, paired_bootstrap
from query.evaluate.judge import Target
from query.evaluate.measures import Measure

_ORDER = {"easy": 1, "medium": 2, "hard": 3}


@dataclass(frozen=True, slots=True)
class Scored:
    """One question under one ranking."""

    values: Mapping[str, float]  # by measure
    ranks: tuple[int | None, ...]  # of the first hit that holds each target; None: below the depth
    seconds: float


@dataclass(frozen=True, slots=True)
class Row:
    """One question under all rankings."""

    id: str
    text: str
    targets: tuple[Target, ...]
    scored: Mapping[str, Scored]  # by ranking
    kind: str = ""
    difficulty: str = ""

    def missed(self, ranking: str, k: int) -> list[Target]:
        """What is relevant and not among the first k."""
        ranks = self.scored[ranking].ranks
        return [t for t, r in zip(self.targets, ranks, strict=True) if r is None or r > k]


@dataclass(frozen=True, slots=True)
class Failed:
    """A question that could not be asked."""

    id: str
    error: str


@dataclass(slots=True)
class Outcome:
    """All questions of a run."""

    measures: Sequence[Measure]
    rankings: Sequence[str]  # by name; the last is what a query answers
    rows: list[Row] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)

    @property
    def main(self) -> str:
        """The ranking that a query answers with."""
        return self.rankings[-1]

    def values(self, ranking: str, measure: Measure | str) -> list[float]:
        """Of each question, in order."""
        return [row.scored[ranking].values[str(measure)] for row in self.rows]

    def mean(self, ranking: str, measure: Measure | str) -> float:
        """Over the questions; there must be one."""
        return float(np.mean(self.values(ranking, measure)))

    def interval(self, ranking: str, measure: Measure | str) -> Difference:
        """The mean with its percentile bootstrap interval."""
        found = self.values(ranking, measure)
        return paired_bootstrap([0.0] * len(found), found)

    def latency(self, ranking: str) -> tuple[float, float]:
        """Median and 95th percentile of a question's time, in seconds."""
        seconds = [row.scored[ranking].seconds for row in self.rows]
        p50, p95 = np.quantile(seconds, (0.5, 0.95))
        return float(p50), float(p95)

    def by(self, what: str) -> Iterator[tuple[str, list[Row]]]:
        """The rows of each ``kind`` or ``difficulty``, where the test set tells it."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(getattr(row, what), []).append(row)
        if set(found) != {""}:
            yield from sorted(found.items(), key=lambda item: (_ORDER.get(item[0], 0), item[0]))
