"""Durations and sizes as people write them."""

import re

from kb.errors import UsageError

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)([smhd])", re.ASCII)
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?", re.ASCII)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def parse_duration(text: str) -> float:
    """Seconds in ``30s``, ``10m``, ``1h30m``, ``2d``; a number alone is seconds.

    Raises:
        UsageError: it reads otherwise.
    """
    plain = text.strip().lower()
    if _NUMBER.fullmatch(plain):
        return float(plain)
    parts = _DURATION_PART.findall(plain)
    if not parts or "".join(number + unit for number, unit in parts) != plain:
        raise UsageError(f"{text!r} is no duration: write 30s, 10m, 2h or 1h30m")
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def parse_size(text: str) -> int:
    """Bytes in ``500MB``, ``1.5GB``, ``1GiB``; a number alone is bytes.

    Raises:
        UsageError: it reads otherwise.
    """
    found = _SIZE.fullmatch(text.strip().lower())
    if found is None or found[2] == "i":
        raise UsageError(f"{text!r} is no size: write 500MB, 2GB or 2GiB")
    base = 1024 if found[2].endswith("i") else 1000
    return int(float(found[1]) * base ** _POWERS[found[2].removesuffix("i")])


def written_size(number: int) -> str:
    """``1.5 GB``, ``512 MB``."""
    for power, unit in ((3, "GB"), (2, "MB"), (1, "KB")):
        if number >= 1000**power:
            return f"{number / 1000**power:.3g} {unit}"
    return f"{number} bytes"
