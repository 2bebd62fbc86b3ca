"""Limits as people write them, and what they do not change."""

import pytest

from ingest.keys import ReadKeys
from ingest.limits import Limits, too_big, too_slow
from kb.errors import UsageError
from kb.quantities import parse_size, written_size
from kb.settings import ParseSettings


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500MB", 500_000_000), ("1GB", 10**9), ("1GiB", 2**30), (" 1.5 gb ", 1_500_000_000),
        ("64k", 64_000), ("2TiB", 2 * 2**40), ("123", 123), ("7b", 7), ("", None), ("GB", None),
        ("-1GB", None), ("1XB", None), ("1 ib", None), ("٣GB", None),
    ],
)  # fmt: skip
def test_sizes(text: str, size: int | None) -> None:
    if size is None:
        with pytest.raises(UsageError, match="500MB, 2GB or 2GiB"):
            parse_size(text)
    else:
        assert parse_size(text) == size


def test_sizes_are_written_so_that_they_can_be_read() -> None:
    assert [written_size(n) for n in (12, 64_000, 200_000_000, 1_500_000_000)] == [
        "12 bytes", "64 KB", "200 MB", "1.5 GB",
    ]  # fmt: skip
    assert parse_size(written_size(1_500_000_000)) == 1_500_000_000


def test_limits_of_settings() -> None:
    limits = Limits.of(ParseSettings(file_timeout=2.5, file_memory="256MiB", workers=3))
    assert (limits.seconds, limits.memory, limits.workers) == (2.5, 2**28, 3)
    assert Limits.of(ParseSettings()).workers >= 1


def test_reasons_name_the_limit_and_five_and_four_times_as_much() -> None:
    assert "file_timeout = 60s" in too_slow(60.0)
    assert "--file-timeout 300s" in too_slow(60.0)
    assert "file_memory = 1 GB" in too_big(10**9)
    assert "--file-memory 4GB" in too_big(10**9)


def test_limits_change_what_failed_and_not_what_was_read() -> None:
    usual, more = ReadKeys(ParseSettings()), ReadKeys(ParseSettings(file_timeout="5m"))
    wide, many = ReadKeys(ParseSettings(file_memory="4GB")), ReadKeys(ParseSettings(workers=1))
    assert len({keys.parsed("ab", "text") for keys in (usual, more, wide, many)}) == 1
    assert len({keys.failed("ab", "a.md") for keys in (usual, more, wide)}) == 3
    assert many.failed("ab", "a.md") == usual.failed("ab", "a.md")
