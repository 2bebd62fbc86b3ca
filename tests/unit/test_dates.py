from datetime import date

import pytest

from kb.dates import Days, read_day, read_days


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("2024-06-01", date(2024, 6, 1), date(2024, 6, 1)),
        (" 2024-06-01T23:59:59+02:00 ", date(2024, 6, 1), date(2024, 6, 1)),
        ("2024-06-01 10:00", date(2024, 6, 1), date(2024, 6, 1)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2024", date(2024, 1, 1), date(2024, 12, 31)),
        (2023, date(2023, 1, 1), date(2023, 12, 31)),
    ],
)
def test_days(written: object, first: date, last: date) -> None:
    assert read_days(written) == Days(first, last)


@pytest.mark.parametrize(
    "written",
    [
        *(
            "",
            "2024-13",
            "2024-02-30",
            "24-01-01",
            "2024-6-1",
            "0000",
            "1 June 2024",
            "2024-06-01x",
        ),
        *(True, 20240601, None, 2024.0, ["2024"], "\u0662\u0660\u0662\u0664"),
    ],
)
def test_no_days(written: object) -> None:
    assert read_days(written) is None


def test_a_day_is_a_whole_date() -> None:
    assert read_day("2024-06-01") == date(2024, 6, 1)
    assert read_day("2024-06") is None
    assert read_day(2024) is None
