"""Tries settings one field at a time, then together, as long as the budget lasts."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kb.errors import UsageError
from kb.settings import Settings
from query.tune.choose import Choice, choose, frontier
from query.tune.measure import Bench
from query.tune.space import Field
from query.tune.state import State
from query.tune.trial import Changes, Trial, changed

Tell = Callable[[Trial, bool], None]  # a trial, and whether it was kept from an earlier run


@dataclass(slots=True)
class Tuning:
    """What a run came to."""

    choice: Choice
    trials: list[Trial]
    frontier: list[Trial]
    left: list[Changes] = field(default_factory=list)  # that the budget kept from being tried
    refused: list[tuple[Changes, str]] = field(default_factory=list)  # that do not go together
    base_held: Trial | None = None  # on the held-out questions
    chosen_held: Trial | None = None


class Tuner:
    """A run.

    Args:
        bench: makes trials.
        state: keeps them.
        base: the settings in force.
        seconds: after which no trial is begun; the base and the report are always made.
        tell: called after each trial.
    """

    def __init__(
        self, bench: Bench, state: State, base: Settings, seconds: float, tell: Tell
    ) -> None:
        self._bench = bench
        self._state = state
        self._base = base
        self._until = time.monotonic() + seconds
        self._tell = tell
        self._trials: dict[str, Trial] = {}
        self._left: list[Changes] = []
        self._refused: list[tuple[Changes, str]] = []
        self._slowest = 0.0  # build

    def run(self, fields: Sequence[Field]) -> Tuning:
        """Try everything, choose, and measure the choice on the held-out questions."""
        base = self._made({}, "tune")
        helpful = {}
        for one in fields:
            made = [trial for way in one.ways if (trial := self._try(way)) is not None]
            best = max(made, key=lambda trial: trial.mean, default=base)
            if best.mean > base.mean:
                helpful[one.name] = best
        self._together(list(helpful.values()), base)
        trials = list(self._trials.values())
        choice = choose(trials, base)
        tuning = Tuning(choice, trials, frontier(trials), self._left, self._refused)
        tuning.base_held = self._made({}, "test")
        tuning.chosen_held = self._made(choice.chosen.changes, "test")
        return tuning

    def _together(self, helpful: list[Trial], base: Trial) -> None:
        """All that helped by itself at once, then added one by one, the most helpful first."""
        helpful.sort(key=lambda trial: (base.mean - trial.mean, trial.key))
        for count in range(len(helpful), 1, -1):
            changes: Changes = {}
            for trial in helpful[:count]:
                changes |= trial.changes
            self._try(changes)

    def _try(self, changes: Changes) -> Trial | None:
        settings = changed(self._base, changes)
        known = self._state.get(self._bench.key(settings, "tune")) is not None
        if not known and self._is_over(settings):
            self._left.append(changes)
            return None
        try:
            return self._made(changes, "tune")
        except UsageError as error:
            self._refused.append((changes, str(error)))
            return None

    def _is_over(self, settings: Settings) -> bool:
        """Whether a trial would end after the budget, as far as the builds so far tell."""
        needed = 0.0 if self._bench.is_built(settings) else self._slowest
        return time.monotonic() + needed > self._until

    def _made(self, changes: Changes, split: str) -> Trial:
        settings = changed(self._base, changes)
        kept = self._state.get(self._bench.key(settings, split))
        trial = kept
        if trial is None:
            to_build = not self._bench.is_built(settings)
            began = time.monotonic()
            trial = self._bench.trial(settings, changes, split)
            if to_build:
                self._slowest = max(self._slowest, time.monotonic() - began)
            self._state.put(trial)
        if split == "tune":
            self._trials[trial.key] = trial
            self._tell(trial, kept is not None)
        return trial
