"""Numbers as documents write them, and what a group of them comes to."""

import pytest

from index.cards.numbers import Numbers, number


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        (12, "", 12.0),
        ("12", "", 12.0),
        ("1.5", "", 1.5),
        ("1,5", "", 1.5),
        ("1.234,50 €", "es", 1234.5),
        ("$1,234.50", "en", 1234.5),
        ("1.234", "es", 1234.0),  # a point before three digits parts thousands in Spanish
        ("1.234", "en", 1.234),
        ("1,234", "en", 1234.0),
        ("1,234", "es", 1.234),
        ("1.234.567", "", 1234567.0),
        ("1 234,5", "es", 1234.5),
        ("12 %", "", 12.0),
        ("-3", "", -3.0),
        ("cuesta 40 euros.", "es", 40.0),
    ],
)
def test_a_number_is_read(text: object, language: str, value: float) -> None:
    assert number(text, language) == value


@pytest.mark.parametrize(
    "text",
    ["", "none", "E-217", "2024-06-01", "3 of 4", "12kg5", "1.2.3", True, None, float("inf"), []],
)
def test_what_is_no_number(text: object) -> None:
    assert number(text, "en") is None


def test_numbers_of_a_group() -> None:
    found = Numbers.of([4.0, 1.0, 1.0, 10.0])
    # 4 + 1 + 1 + 10 = 16; 16 / 4 = 4; the middle two of 1, 1, 4, 10 are 1 and 4: 2.5
    assert found == Numbers(count=4, sum=16.0, min=1.0, max=10.0, mean=4.0, median=2.5)
    assert Numbers.of([]) is None
    assert Numbers.of([0.1] * 10) == Numbers(10, 1.0, 0.1, 0.1, 0.1, 0.1)  # fsum, not 0.99…
