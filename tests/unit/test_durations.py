"""Durations as people write them."""

import pytest

from kb.errors import UsageError
from kb.quantities import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30), ("10m", 600), ("2h", 7200), ("1h30m", 5400), ("1d", 86400), ("45", 45),
        (" 0.5H ", 1800), ("0", 0), ("1m30", None), ("", None), ("m", None), ("-5s", None),
        ("10 m", None), ("5w", None), ("٣s", None), ("nan", None),
    ],
)  # fmt: skip
def test_durations(text: str, seconds: float | None) -> None:
    if seconds is None:
        with pytest.raises(UsageError, match="30s, 10m"):
            parse_duration(text)
    else:
        assert parse_duration(text) == seconds
