"""Durations as people write them in crontabs."""

import re

from kb.errors import UsageError

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)([smhd])", re.ASCII)


def parse_wait(wait: str | None) -> float:
    """Seconds of ``--wait``; 0 where it is not given. Raises as `parse_duration`."""
    return parse_duration("0" if wait is None else wait)


def parse_duration(text: str) -> float:
    """Seconds in ``30s``, ``10m``, ``1h30m``, ``2d``; a number alone is seconds.

    Raises:
        UsageError: it reads otherwise.
    """
    plain = text.strip().lower()
    if re.fullmatch(r"\d+(?:\.\d+)?", plain, re.ASCII):
        return float(plain)
    parts = _PART.findall(plain)
    if not parts or "".join(number + unit for number, unit in parts) != plain:
        raise UsageError(f"{text!r} is no duration: write 30s, 10m, 2h or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
