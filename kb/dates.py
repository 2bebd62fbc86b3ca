"""Dates as documents write them: ``2024``, ``2024-06``, ``2024-06-01``, with or without a time."""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

_WRITTEN = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[T ].*)?)?)?", re.S)


@dataclass(frozen=True, slots=True)
class Days:
    """The days that a written date stands for, both ends inside."""

    first: date
    last: date


def read_days(value: object) -> Days | None:
    """The days of an ISO date, of a month (``2024-06``) or of a year (``2024``, also as a number).

    None where `value` is nothing of the kind. A time of day is passed over.
    """
    if value is None or isinstance(value, bool):
        return None
    return _read(str(value)) if isinstance(value, str | int) else None


@lru_cache(16384)
def _read(text: str) -> Days | None:
    match = _WRITTEN.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day = (int(part) if part else 0 for part in match.groups())
    try:
        if day:
            return Days(date(year, month, day), date(year, month, day))
        if match[2]:
            return Days(date(year, month, 1), date(year, month, monthrange(year, month)[1]))
        return Days(date(year, 1, 1), date(year, 12, 31))
    except ValueError:
        return None


def read_day(value: object) -> date | None:
    """The day of a full ISO date, None for anything else."""
    days = read_days(value) if isinstance(value, str) else None
    return days.first if days and days.first == days.last else None
