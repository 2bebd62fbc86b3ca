"""Which documents hold on a day."""

from datetime import date
from typing import Any

import pytest

from index.validity import validities
from kb.records import Validity
from tests.filtering import document

OLD = ("docs/p/old.md", {"valid_from": "2023-01-01", "valid_until": "2024-12-31"})


def states(day: date, *documents: tuple[str, dict[str, Any]]) -> list[Validity]:
    return validities([document(path, metadata) for path, metadata in documents], day)


@pytest.mark.parametrize(
    ("day", "state"),
    [
        (date(2022, 12, 31), "future"),
        (date(2023, 1, 1), "valid"),
        (date(2024, 12, 31), "valid"),
        (date(2025, 1, 1), "expired"),
    ],
)
def test_both_ends_are_inside(day: date, state: Validity) -> None:
    assert states(day, OLD) == [state]
    by_year = ("a.md", {"valid_from": 2023, "valid_until": "2024-12"})
    assert states(day, by_year) == [state]


def test_what_cannot_be_read_bounds_nothing() -> None:
    assert states(date(2024, 1, 1), ("a", {"valid_from": "soon", "valid_until": []})) == ["valid"]


@pytest.mark.parametrize(
    ("newer", "from_day"),
    [
        ({"valid_from": "2024-06-01", "date": "2024-01-01"}, date(2024, 6, 1)),
        ({"date": "2024-06-01"}, date(2024, 6, 1)),
        ({"modified": "2024-06"}, date(2024, 6, 1)),
        ({}, date(1, 1, 1)),
    ],
)
def test_superseded_from_the_day_the_newer_one_holds(newer: dict[str, Any], from_day: date) -> None:
    pair = (("a/old.md", {}), ("a/new.md", newer | {"supersedes": "old.md"}))
    assert states(from_day, *pair)[0] == "superseded"
    if from_day > date.min:
        assert states(date(2024, 5, 31), *pair)[0] == "valid"


def test_superseded_no_longer_once_the_newer_one_has_expired() -> None:
    pair = (("old", {}), ("new", {"valid_until": "2024-06", "supersedes": ["old"]}))
    assert states(date(2024, 6, 30), *pair) == ["superseded", "valid"]
    assert states(date(2024, 7, 1), *pair) == ["valid", "expired"]


def test_a_chain_leaves_the_newest() -> None:
    chain = (("1", {}), ("2", {"supersedes": "1"}), ("3", {"supersedes": "2"}))
    assert states(date(2024, 1, 1), *chain) == ["superseded", "superseded", "valid"]


def test_circles_supersede_nobody() -> None:
    circle = (
        ("1", {"supersedes": ["1", "3"]}),
        ("2", {"supersedes": "1"}),
        ("3", {"supersedes": "2"}),
        ("0", {}),
        ("4", {"supersedes": ["0", "1"]}),
    )
    day = date(2024, 1, 1)
    assert states(day, *circle[:4]) == ["valid"] * 4
    assert states(day, *circle) == ["superseded", "valid", "valid", "superseded", "valid"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("old.md", True),
        ("./old.md", True),
        ("../p/old.md", True),
        ("p/old.md", True),
        ("docs/p/old.md", True),
        ("old", False),
        ("/docs/p/old.md", False),
        ("q/old.md", False),
        (["nowhere.md", 5, "old.md"], True),
        ("", False),
        (5, False),
    ],
)
def test_names_are_looked_for_from_the_folder_upwards(name: object, found: bool) -> None:
    pair = (("docs/p/old.md", {}), ("docs/p/new.md", {"supersedes": name}))
    expected = "superseded" if found else "valid"
    assert states(date(2024, 1, 1), *pair)[0] == expected


def test_the_nearest_of_equal_names_is_meant() -> None:
    three = (("a/old.md", {}), ("old.md", {}), ("a/new.md", {"supersedes": "old.md"}))
    assert states(date(2024, 1, 1), *three) == ["superseded", "valid", "valid"]


def test_documents_outside_the_home_have_absolute_paths() -> None:
    three = (
        ("/srv/x/old.md", {}),
        ("/srv/old.md", {}),
        ("/srv/x/new.md", {"supersedes": "/srv/old.md"}),
    )
    assert states(date(2024, 1, 1), *three) == ["valid", "superseded", "valid"]
