"""What a definition may say, and what is said of one that cannot be read."""

from pathlib import Path
from typing import Any

import pytest

from index.cards.definition import definition, definitions
from kb.configure import load_settings
from kb.errors import UsageError
from kb.settings import CardsSettings, CountSettings


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing to group by"),
        ({"group_by": ("a", "b", "c", "d", "e")}, "5 fields to group by"),
        ({"of": "matches", "group_by": ("a",)}, "matches of what"),
        ({"extract": "(", "group_by": ("a",)}, "is no regular expression"),
        ({"extract": "a+", "group_by": ("a",)}, "names nothing that it takes"),
        ({"extract": "(?P<a>b)", "of": "records"}, "records have fields of their own"),
        ({"group_by": ("a",), "where": ("status is",)}, "column 8"),
        ({"group_by": ("a",), "as_of": "soon"}, "write a day"),
    ],
)
def test_a_definition_that_cannot_be_read(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as told:
        definition(CountSettings(name="cats", **given))
    assert "card 'cats'" in str(told.value)


def test_names_of_a_pattern_are_what_is_counted_by() -> None:
    made = definition(CountSettings(name="a", extract=r"(?P<Estado>\w+) (?P<n>\d+)"))
    assert made.fields == ("Estado", "n")
    assert made.extracted == {"estado", "n"}


@pytest.mark.parametrize("pattern", [r"(?P<a>(a|aa)+)b", r"(?P<a>(\w|aa)+)b$"])
def test_a_pattern_that_would_take_for_ever_is_stopped(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.cards.definition._SECONDS", 0.05)
    slow = definition(CountSettings(name="cats", extract=pattern))
    text = "ab" + "a" * 60 + "c"
    with pytest.raises(UsageError, match=r"card cats: .* on a/b\.md: .*--remove cats"):
        list(slow.matches(text, "a/b.md"))


def test_matches_come_in_order() -> None:
    made = definition(CountSettings(name="cats", extract=r"cage (?P<cage>\d+)"))
    assert [m["cage"] for m in made.matches("cage 7, cage 12; cage", "a.md")] == ["7", "12"]


def test_two_cards_of_one_name() -> None:
    both = tuple(CountSettings(name=name, group_by=("a",)) for name in ("Cats", "cats"))
    with pytest.raises(UsageError, match="two are named 'cats'"):
        definitions(CardsSettings(counts=both))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a b"\ngroup_by = ["c"]', "cards.counts"),
        ('name = "a"\ngroup_by = "c"', "array"),
        ('name = "a"\ntop = 0', "top"),
        ('name = "a"\ncount_by = ["c"]', "count_by"),
        ('group_by = ["c"]', "name"),
    ],
)
def test_settings_refuse_what_is_no_definition(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "tesela.toml"
    file.write_text(f"[[cards.counts]]\n{text}\n")
    with pytest.raises(UsageError, match=message):
        load_settings(file, environment={})
