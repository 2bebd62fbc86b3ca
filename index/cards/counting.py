"""Counts what a definition asks for."""

import posixpath
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from index.cards.definition import Definition
from index.cards.numbers import Numbers, number
from index.cards.units import Base, Unit
from index.where.values import fold

Key = tuple[str, ...]  # a group's values, folded
_LONGEST = 120  # characters of a value
_MOST_WORDS, _SHORT = 4, 2  # of titles; letters of words that are not looked at


@dataclass(slots=True)
class Group:
    """The units that have the same values."""

    values: tuple[str, ...]  # one a field, as they are most often written
    rows: "array[int]"  # leaves, rising, a row once
    count: int = 0
    numbers: Numbers | None = None


@dataclass(slots=True)
class Counted:
    """What came of a definition."""

    definition: Definition
    total: int  # units
    documents: int  # that they are of
    without: int  # units that lack one of the fields
    groups: list[Group]  # the largest first
    numbers: Numbers | None  # of all
    rows: "array[int]"  # leaves of all units, rising
    language: str  # "es" or "en": what most of the documents are in
    folder: str  # that holds them all; "" for several that have none in common
    titles: tuple[str, ...] = ()  # words that most titles have
    several: bool = False  # whether a unit is in more than one group


@dataclass(slots=True)
class _Group:
    rows: "array[int]" = field(default_factory=lambda: array("q"))
    count: int = 0
    spelled: Counter[tuple[str, ...]] = field(default_factory=Counter)
    numbers: "array[float]" = field(default_factory=lambda: array("d"))


def counted(definition: Definition, base: Base) -> Counted:
    """Go through all units once."""
    groups: dict[Key, _Group] = {}
    everything = _Group()
    without, several = 0, False
    documents: dict[int, None] = {}
    fields = [fold(name) for name in definition.fields]
    for unit in base.units(definition):
        documents[unit.document] = None
        values = list(_numbers(definition, base, unit))
        _add(everything, unit, values)
        keys = keys_of(unit, fields)
        without += not keys
        several = several or len(keys) > 1
        for key, shown in keys.items():
            group = groups.setdefault(key, _Group())
            group.spelled[shown] += 1
            _add(group, unit, values)
    paths = [base.table.documents[place].path for place in documents]
    return Counted(
        definition,
        everything.count,
        len(documents),
        without,
        _sorted(groups),
        Numbers.of(everything.numbers),
        everything.rows,
        _language(base.table.documents[place].language for place in documents),
        _common_folder(paths),
        _common_words([base.table.documents[place].title for place in documents]),
        several,
    )


def keys_of(unit: Unit, fields: Sequence[str]) -> dict[Key, tuple[str, ...]]:
    """The groups that a unit is in, with its spelling of their values; none where it lacks a field."""
    per_field = [_shown(unit.lookup(name)) for name in fields]
    return dict(map(_key, product(*per_field)))


def _key(shown: tuple[str, ...]) -> tuple[Key, tuple[str, ...]]:
    return tuple(map(fold, shown)), shown


def _shown(value: object) -> list[str]:
    """A field's values as text, each once: the items of a list, a plain value; blank ones are none."""
    found: dict[str, str] = {}
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, bool):
            text = "true" if item else "false"
        elif isinstance(item, float) and item.is_integer():
            text = str(int(item))
        elif isinstance(item, str | int | float):
            text = " ".join(str(item).split())[:_LONGEST]
        else:
            continue
        if text:
            found.setdefault(fold(text), text)
    return list(found.values())


def _numbers(definition: Definition, base: Base, unit: Unit) -> Iterator[float]:
    if not definition.settings.value:
        return
    found = unit.lookup(fold(definition.settings.value))
    language = base.table.documents[unit.document].language
    for item in found if isinstance(found, list) else [found]:
        read = number(item, language)
        if read is not None:
            yield read


def _add(group: _Group, unit: Unit, values: Iterable[float]) -> None:
    group.count += 1
    group.numbers.extend(values)
    if not group.rows or group.rows[-1] != unit.row:
        group.rows.append(unit.row)


def _sorted(groups: dict[Key, _Group]) -> list[Group]:
    order = sorted(groups, key=lambda key: (-groups[key].count, key))
    return [
        Group(_spelling(found.spelled), found.rows, found.count, Numbers.of(found.numbers))
        for found in map(groups.__getitem__, order)
    ]


def _spelling(spelled: Counter[tuple[str, ...]]) -> tuple[str, ...]:
    return min(spelled, key=lambda shown: (-spelled[shown], shown))


def _language(languages: Iterable[str]) -> str:
    found = Counter(languages)
    return "es" if found["es"] > found["en"] else "en"


def _common_folder(paths: Sequence[str]) -> str:
    """Of several documents; of a single one, the file itself."""
    if len(paths) == 1:
        return paths[0]
    try:
        return posixpath.commonpath([posixpath.dirname(path) for path in paths]) if paths else ""
    except ValueError:  # some outside the KB's home, some inside
        return ""


def _common_words(titles: Sequence[str]) -> tuple[str, ...]:
    """Words in half of the titles, in the order of the first one that has them: what things are called."""
    found = Counter(word for title in titles for word in dict.fromkeys(map(fold, _words(title))))
    often = [word for word, count in found.items() if 2 * count >= len(titles) > 1]
    return tuple(often[:_MOST_WORDS])


def _words(title: str) -> list[str]:
    return [word for word in title.split() if len(word) > _SHORT and word.isalpha()]
