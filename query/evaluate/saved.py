"""Runs as they are kept in the KB: one small file each, outside the generations.

Runs are numbered from 1. The newest keep each question's values, so that a later run can be compared
question by question; older ones keep their means, and the oldest go.
"""

import contextlib
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from kb.durable import replace_file
from kb.errors import UsageError
from kb.location import Location
from query.evaluate.outcome import Outcome

VERSION = 1
KEPT = 1000
_WITH_VALUES = 30


class Saved(Struct, frozen=True, kw_only=True):
    """What is kept of a run, and what its JSON says."""

    version: int = VERSION
    number: int = 0  # 0: not kept
    time: str  # ISO 8601, local, with its offset
    testset: str  # where it comes from
    testset_digest: str
    split: str = ""
    by_document: bool = False
    questions: int
    generation: int
    index: str  # digest of what the generation was made from
    settings: str  # digest of the query's settings and filters
    means: dict[str, dict[str, float]]  # ranking → measure → mean
    latency: dict[str, tuple[float, float]]  # ranking → p50 and p95, seconds
    ranking: str  # the one whose values are kept
    passed: bool | None = None  # what a gate said of it; None: it was asked of no gate
    ids: list[str] = []
    values: dict[str, list[float]] = {}  # measure → of each question

    @property
    def asked(self) -> tuple[str, str, bool]:
        """Equal for runs whose values can be compared."""
        return self.testset_digest, self.split, self.by_document

    @property
    def main(self) -> dict[str, float]:
        """The means of what a query answers."""
        return self.means[self.ranking]

    def per_question(self, measure: str) -> dict[str, float]:
        """Values by question's id; {} where they are not kept."""
        found = self.values.get(measure, [])
        return dict(zip(self.ids, found, strict=True)) if found else {}


def saved(outcome: Outcome, **about: object) -> Saved:
    """A run, to be kept. `about`: the other fields of `Saved`."""
    main = outcome.main
    return msgspec.convert(
        {
            "time": datetime.now().astimezone().isoformat(timespec="seconds"),
            "questions": len(outcome.rows),
            "means": {
                ranking: {str(m): outcome.mean(ranking, m) for m in outcome.measures}
                for ranking in outcome.rankings
            },
            "latency": {ranking: outcome.latency(ranking) for ranking in outcome.rankings},
            "ranking": main,
            "ids": [row.id for row in outcome.rows],
            "values": {str(m): outcome.values(main, m) for m in outcome.measures},
            **about,
        },
        Saved,
    )


def folder_of(location: Location) -> Path:
    """Where runs lie."""
    return location.folder / "evaluation" / "runs"


def keep(location: Location, run: Saved) -> Saved:
    """Keep a run under the next number; returns it with that.

    Raises:
        OSError: the KB cannot be written.
    """
    folder = folder_of(location)
    folder.mkdir(parents=True, exist_ok=True)
    number = max(numbers(location), default=0) + 1
    while True:
        kept = msgspec.structs.replace(run, number=number)
        try:
            descriptor = os.open(
                _file(location, number), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666
            )
        except FileExistsError:  # another run ended at the same moment
            number += 1
            continue
        with os.fdopen(descriptor, "wb") as out:
            out.write(msgspec.json.encode(kept) + b"\n")
        _thin(location)
        return kept


def numbers(location: Location) -> list[int]:
    """Of the runs that are there, rising."""
    names = (path.stem for path in folder_of(location).glob("*.json"))
    return sorted(int(name) for name in names if name.isascii() and name.isdigit())


def read(location: Location, number: int) -> Saved:
    """A run.

    Raises:
        UsageError: there is none of this number, or it cannot be read.
    """
    path = _file(location, number)
    if not path.exists():
        there = numbers(location)
        offer = f"there are {there[0]} to {there[-1]}" if there else "none was kept yet"
        raise UsageError(f"no run {number} of 'tesela eval run': {offer}")
    return read_file(path)


def read_file(path: Path) -> Saved:
    """A run from a file: as it is kept, or as ``eval run --format json`` wrote it.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Saved)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no run of 'tesela eval run': {error}") from error


def history(location: Location) -> list[Saved]:
    """All runs that can be read, oldest first."""
    found = []
    for number in numbers(location):
        with contextlib.suppress(UsageError):  # one that was cut off is no reason to show none
            found.append(read(location, number))
    return found


def like(runs: Sequence[Saved], run: Saved) -> list[Saved]:
    """Those of other runs that asked the same questions."""
    return [other for other in runs if other.asked == run.asked and other.number != run.number]


def last_passed(location: Location, run: Saved) -> Saved | None:
    """The run to compare with: the newest on the same questions that a gate let pass.

    Where there is none, the newest that no gate saw and that was made with the same settings: a run that
    somebody made to try others is no measure.
    """
    found = [other for other in like(history(location), run) if other.values]
    passed = [other for other in found if other.passed]
    tried = [o for o in found if o.passed is None and o.settings == run.settings]
    best = passed or tried
    return best[-1] if best else None


def common(a: Saved, b: Saved, measure: str) -> Mapping[str, tuple[float, float]]:
    """Values of the questions that both runs asked, by id."""
    first, second = a.per_question(measure), b.per_question(measure)
    return {name: (first[name], value) for name, value in second.items() if name in first}


def _file(location: Location, number: int) -> Path:
    return folder_of(location) / f"{number:05}.json"


def _thin(location: Location) -> None:
    there = numbers(location)
    for number in there[:-KEPT]:
        _file(location, number).unlink(missing_ok=True)
    for number in there[-KEPT:-_WITH_VALUES][-1:]:  # the others were thinned before
        with contextlib.suppress(UsageError):
            run = read(location, number)
            thin = msgspec.structs.replace(run, ids=[], values={})
            replace_file(_file(location, number), msgspec.json.encode(thin) + b"\n")
