"""A run beside an earlier one: the same questions, paired."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.errors import UsageError
from kb.location import Location
from query.evaluate import saved, trec_run
from query.evaluate.bootstrap import Difference, paired_bootstrap
from query.evaluate.measures import Measure
from query.evaluate.outcome import Outcome, Row
from query.evaluate.randomization import paired_test
from query.evaluate.saved import Saved


@dataclass(frozen=True, slots=True)
class Paired:
    """A measure before and now, over the questions that both have."""

    before: float
    now: float
    difference: Difference  # now - before
    p: float  # of the randomization test


@dataclass(frozen=True, slots=True)
class Against:
    """A run beside an earlier one."""

    name: str  # of the earlier one
    questions: int  # that both have
    measures: Mapping[str, Paired]


Earlier = Mapping[str, Mapping[str, float]]  # measure → question → value


def read_earlier(
    location: Location, what: str, rows: Sequence[Row], measures: Sequence[Measure]
) -> tuple[str, Earlier]:
    """The values of an earlier run, and what to call it.

    Args:
        location: of the KB.
        what: a run's number, ``last``, a file of ``eval run --format json``, or a TREC run.
        rows: the questions of this run; a TREC run is scored by their targets.
        measures: to look at.

    Raises:
        UsageError: there is none such, or it kept no value of any question.
    """
    if what == "last":
        there = saved.numbers(location)
        if not there:
            raise UsageError("--against last: no run was kept yet")
        what = str(there[-1])
    if what.isascii() and what.isdigit() and not Path(what).exists():
        run, name = saved.read(location, int(what)), f"run {what}"
    elif trec_run.is_one(Path(what)):
        return what, trec_run.scores(Path(what), rows, measures)
    else:
        run, name = saved.read_file(Path(what)), what
    if not run.values:
        raise UsageError(
            f"--against {what}: {name} is too old, only its means are kept: name a newer one"
        )
    return name, _values(run, measures)


def _values(run: Saved, measures: Sequence[Measure]) -> Earlier:
    return {str(m): found for m in measures if (found := run.per_question(str(m)))}


def compare(outcome: Outcome, name: str, earlier: Earlier) -> Against:
    """Pair this run's answers with the earlier ones.

    Raises:
        UsageError: they share no question or no measure.
    """
    ids = [row.id for row in outcome.rows]
    paired, most = {}, 0
    for measure, before in earlier.items():
        now = dict(zip(ids, outcome.values(outcome.main, measure), strict=True))
        both = [name for name in ids if name in before]
        if not both:
            continue
        most = max(most, len(both))
        a, b = [before[name] for name in both], [now[name] for name in both]
        paired[measure] = Paired(
            sum(a) / len(a), sum(b) / len(b), paired_bootstrap(a, b), paired_test(a, b)
        )
    if not paired:
        raise UsageError(f"--against {name}: it shares no question and measure with this run")
    return Against(name, most, paired)
