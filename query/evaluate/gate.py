"""Whether a run is good enough, and not worse than before: for cron and CI."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.errors import UsageError
from query.evaluate.measures import Measure
from query.evaluate.saved import Saved, common

_NOISE = 1e-9  # of sums in another order


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound that a mean may not pass: from below, or from above for ``failure``."""

    measure: Measure
    bound: float


@dataclass(frozen=True, slots=True)
class Drop:
    """How much worse than before a mean may be; of all measures where none is named."""

    most: float
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class Fallen:
    """A question that did worse than before."""

    id: str
    before: float
    now: float


@dataclass(frozen=True, slots=True)
class Breach:
    """A limit that was passed."""

    measure: Measure
    value: float
    bound: float
    before: float | None = None  # None: an absolute limit
    fallen: Sequence[Fallen] = ()  # or the questions that have none of it


def read_limit(text: str) -> Limit:
    """``recall@10=0.85``.

    Raises:
        UsageError: it is none.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--min {text!r}: write MEASURE=VALUE, e.g. recall@10=0.85")
    return Limit(Measure.read(name), _share(f"--min {text!r}", value))


def read_drop(text: str) -> Drop:
    """``0.02``, or ``ndcg@10=0.02`` for one measure.

    Raises:
        UsageError: it is none.
    """
    name, equals, value = text.rpartition("=")
    most = _share(f"--max-drop {text!r}", value)
    return Drop(most, Measure.read(name) if equals else None)


def _share(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"{where}: a number from 0 to 1 is needed, not {text!r}") from None
    if not 0 <= value <= 1:
        raise UsageError(f"{where}: a number from 0 to 1 is needed, not {text!r}")
    return value


def breaches(
    run: Saved, before: Saved | None, limits: Sequence[Limit], drops: Sequence[Drop]
) -> list[Breach]:
    """The limits that a run passes.

    Args:
        run: of now.
        before: the last one that asked the same; None: nothing can have dropped.
        limits: of the means.
        drops: of the means, against `before`.
    """
    found = []
    for limit in limits:
        value = run.main[str(limit.measure)]
        if _worse(limit.measure, value, limit.bound) > _NOISE:
            found.append(
                Breach(limit.measure, value, limit.bound, None, _empty(run, limit.measure))
            )
    for drop in drops if before is not None else ():
        for measure in [drop.measure] if drop.measure else map(Measure.read, run.main):
            found += _dropped(run, before, measure, drop.most) if before else []
    return found


def _dropped(run: Saved, before: Saved, measure: Measure, most: float) -> list[Breach]:
    name = str(measure)
    if name not in before.main or name not in run.main:
        return []
    value, then = run.main[name], before.main[name]
    if _worse(measure, value, then) <= most + _NOISE:
        return []
    return [Breach(measure, value, most, then, fallen(before, run, measure))]


def fallen(before: Saved, run: Saved, measure: Measure) -> list[Fallen]:
    """The questions that do worse than before, the worst first."""
    both = common(before, run, str(measure)).items()
    found = [Fallen(n, a, b) for n, (a, b) in both if _worse(measure, b, a) > _NOISE]
    return sorted(found, key=lambda f: (-_worse(measure, f.now, f.before), f.id))


def _empty(run: Saved, measure: Measure) -> list[Fallen]:
    """The questions that pull a mean down most: those with the worst value there is."""
    worst = 1.0 if measure.falls else 0.0
    values = run.per_question(str(measure)).items()
    return [Fallen(name, worst, value) for name, value in values if value == worst]


def _worse(measure: Measure, value: float, than: float) -> float:
    return value - than if measure.falls else than - value
