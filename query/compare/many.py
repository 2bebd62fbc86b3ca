"""Many questions, answered by two variants, and what that comes to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from index.reader import GenerationReader
from kb.errors import UsageError
from query.batch.lines import Line
from query.batch.session import Session
from query.compare.question import Compared
from query.evaluate.bootstrap import CONFIDENCE, RESAMPLES, Difference, paired_bootstrap
from query.evaluate.judge import Measures, Target, read_targets
from query.filter import Filter
from query.filter.rights import may_read

JUDGED = "relevant"  # the key of a question's judgements


@dataclass(frozen=True, slots=True)
class Failed:
    """A question that could not be compared."""

    id: str | int
    error: str


@dataclass(frozen=True, slots=True)
class Row:
    """What is kept of one question."""

    id: str | int
    query: str
    overlap: float
    rbo: float
    a: Measures | None = None  # None: nobody has judged it
    b: Measures | None = None

    @property
    def gain(self) -> float:
        """How much better `b` does: by nDCG."""
        return self.b.ndcg - self.a.ndcg if self.a and self.b else 0.0


@dataclass(frozen=True, slots=True)
class Gain:
    """A measure's means, and their difference."""

    a: float
    b: float
    difference: Difference


@dataclass(slots=True)
class Tally:
    """All questions of a run."""

    k: int
    rows: list[Row] = field(default_factory=list)
    failed: list[Failed] = field(default_factory=list)
    paths: set[str] = field(default_factory=set)  # that judgements name

    def add(self, done: Compared | Failed) -> None:
        """Note one more question; its hits are not kept."""
        if isinstance(done, Failed):
            self.failed.append(done)
            return
        self.paths.update(target.path for target in done.targets if target.path)
        both = done.measures(self.k) if done.targets else (None, None)
        self.rows.append(Row(done.id, done.query, done.overlap(self.k), done.rbo, *both))

    @property
    def judged(self) -> list[Row]:
        """The questions with judgements."""
        return [row for row in self.rows if row.a is not None]

    @property
    def overlap(self) -> float:
        """Mean."""
        return sum(row.overlap for row in self.rows) / len(self.rows)

    @property
    def rbo(self) -> float:
        """Mean."""
        return sum(row.rbo for row in self.rows) / len(self.rows)

    @property
    def same(self) -> int:
        """Questions with the same hits in the same order."""
        return sum(row.rbo > 1 - 1e-9 for row in self.rows)

    def gains(self) -> dict[str, Gain]:
        """Each measure of the judged questions, by name."""
        judged = self.judged
        if not judged:
            return {}
        sides = [[asdict(m) for row in judged if (m := getattr(row, side))] for side in "ab"]
        found = {}
        for name in sides[0][0]:
            a, b = ([values[name] for values in side] for side in sides)
            count = len(judged)
            found[name] = Gain(sum(a) / count, sum(b) / count, paired_bootstrap(a, b))
        return found

    def differing(self, most: int) -> list[Row]:
        """The questions that differ most: by what the judgements say, by order where there are none."""
        changed = [row for row in self.rows if row.rbo < 1 - 1e-9]
        return sorted(changed, key=lambda row: (-abs(row.gain), row.rbo))[:most]

    def to_json(self, most: int) -> dict[str, Any]:
        """Numbers for programs."""
        shown: dict[str, Any] = {
            "k": self.k,
            "questions": len(self.rows),
            "judged": len(self.judged),
            "failed": [asdict(failed) for failed in self.failed],
        }
        if self.rows:
            shown |= {"same": self.same, "overlap": self.overlap, "rbo": self.rbo}
        if self.judged:
            shown["interval"] = {
                "kind": "paired percentile bootstrap",
                "resamples": RESAMPLES,
                "confidence": CONFIDENCE,
            }
            shown["measures"] = {name: asdict(gain) for name, gain in self.gains().items()}
        shown["differing"] = [asdict(row) for row in self.differing(most)]
        return shown


def strangers(
    paths: Iterable[str], chosen: Filter, readers: Iterable[GenerationReader]
) -> list[str]:
    """The documents that no generation has, or not for whoever asks, by path."""
    readable = may_read(chosen.acl, chosen.principal)
    there = {
        entry.path for reader in readers for entry in reader.chunks.documents if readable(entry)
    }
    return sorted(set(paths) - there)


def compare(lines: Iterable[Line], a: Session, b: Session) -> Iterator[Compared | Failed]:
    """Answer each line by both. A line's ``relevant`` is what `read_targets` takes."""
    for line in lines:
        yield _compared(line, a, b)


def _compared(line: Line, a: Session, b: Session) -> Compared | Failed:
    fields = dict(line.fields)
    targets: Sequence[Target] = ()
    error = line.error
    if JUDGED in fields and not error:
        try:
            targets = read_targets(fields.pop(JUDGED))
        except UsageError as wrong:
            error = str(wrong)
    bare = Line(line.id, fields, error)
    first, second = a.answer(bare), b.answer(bare)
    if first.results is None or second.results is None:
        return Failed(line.id, first.error or second.error)
    found = first.results
    return Compared(line.id, found.query, found.hits, second.results.hits, tuple(targets))
