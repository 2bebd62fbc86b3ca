"""From values to pixels, and which values get a tick."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1, 2, 2.5, 5, 10)
_LOG_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Axis:
    """What is measured along one side; bounds that are None come from the values."""

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False  # values above 0 only


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from `low` to `high` on the pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a value; one outside the bounds is at the nearest."""
        value = min(max(value, self.low), self.high)
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(value)
        return self.start + (at - low) / (high - low) * (self.end - self.start)

    def ticks(self, about: int = 6) -> list[float]:
        """Round values within the bounds, rising."""
        if self.log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            steps = _LOG_STEPS if last - first <= about // 2 else (1,)
            values = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        else:
            step = _step((self.high - self.low) / about)
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            values = [round(i * step, 12) for i in range(first, last + 1)]
        return [value for value in values if self.low <= value * (1 + 1e-9) and value <= self.high]


def fit(axis: Axis, values: Iterable[float], start: float, end: float) -> Scale:
    """The scale of an axis that shows all values, a little wider than they are."""
    given = [v for v in values if math.isfinite(v) and (v > 0 or not axis.log)] or [1.0]
    low, high = min(given), max(given)
    if axis.log:
        low, high = low / 1.25, high * 1.25
    else:
        room = (high - low) * 0.06 or abs(high) * 0.1 or 1.0
        low, high = low - room, high + room
    low = low if axis.low is None else axis.low
    high = high if axis.high is None else axis.high
    if high <= low:
        high = low * 10 if axis.log else low + 1.0
    return Scale(low, high, start, end, axis.log)


def tick_label(value: float) -> str:
    """A value as short as can be: ``0.95``, ``250``, ``1.5k``, ``2M``."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.4g}"


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step for step in _STEPS if step * power >= rough * (1 - 1e-9)) * power
