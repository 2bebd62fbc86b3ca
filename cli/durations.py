"""Durations as people write them in crontabs."""

from kb.quantities import parse_duration


def parse_wait(wait: str | None) -> float:
    """Seconds of ``--wait``; 0 where it is not given.

    Raises:
        UsageError: it is no duration.
    """
    return parse_duration("0" if wait is None else wait)
