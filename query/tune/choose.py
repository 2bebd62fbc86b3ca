"""Which trial to take: the best, unless the difference to something cheaper may be chance."""

from collections.abc import Sequence
from dataclasses import dataclass

from query.evaluate.bootstrap import Difference, paired_bootstrap
from query.tune.trial import Trial


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, and why."""

    base: Trial  # the settings in force
    best: Trial  # by the mean
    chosen: Trial
    alike: int  # trials whose difference to the best may be chance, the best left out
    gain: Difference  # of the chosen over the base

    @property
    def is_change(self) -> bool:
        """Whether something else than the settings in force was chosen."""
        return bool(self.chosen.changes)


def choose(trials: Sequence[Trial], base: Trial) -> Choice:
    """Choose among trials on the same questions.

    A trial is as good as the best where the interval of the paired bootstrap of their difference
    holds 0. Of those that are, the settings in force are taken if they are one; else the one that
    costs least by question, build and disk, each measured against the base.

    Args:
        trials: the base among them.
        base: the settings in force.
    """
    best = max(trials, key=lambda trial: (trial.mean, trial is base))
    alike = [trial for trial in trials if not _sure(trial, best)]
    if base in alike:
        chosen = base
    else:
        chosen = min(alike, key=lambda trial: (_cost(trial, base), -trial.mean, trial.key))
    gain = paired_bootstrap(base.values, chosen.values)
    return Choice(base, best, chosen, len(alike) - 1, gain)


def _sure(a: Trial, b: Trial) -> bool:
    return a is not b and paired_bootstrap(a.values, b.values).is_sure


def _cost(trial: Trial, base: Trial) -> float:
    """1 for the base; half as much again is worth as much in each of the three."""
    shares = [own / (of_base or 1) for own, of_base in zip(trial.cost, base.cost, strict=True)]
    return sum(shares) / len(shares)


def frontier(trials: Sequence[Trial]) -> list[Trial]:
    """Those that no other beats in quality, question time, build time and disk at once; best first."""
    kept = [trial for trial in trials if not any(_beats(other, trial) for other in trials)]
    return sorted(kept, key=lambda trial: (-trial.mean, trial.cost, trial.key))


def _beats(a: Trial, b: Trial) -> bool:
    pairs = [(a.mean, b.mean), *((-x, -y) for x, y in zip(a.cost, b.cost, strict=True))]
    return all(x >= y for x, y in pairs) and any(x > y for x, y in pairs)
