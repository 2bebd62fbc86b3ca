"""A card's numbers as its component keeps them, for programs: ``cards.json``."""

from pathlib import Path

import msgspec

from index.cards.counting import Counted
from index.cards.numbers import Numbers
from index.cards.wording import described, noun
from index.derived.files import made_chunks
from kb.settings import CountSettings

FILE = "cards.json"


class SavedGroup(msgspec.Struct, frozen=True):
    """A group of a card."""

    values: tuple[str, ...]  # one a field
    said: str  # the same in words
    count: int
    share: float  # of all units, 0 to 1
    numbers: Numbers | None = None


class SavedCard(msgspec.Struct, frozen=True):
    """A card, in numbers and in words."""

    name: str
    definition: CountSettings
    fields: tuple[str, ...]
    noun: str
    language: str
    total: int
    documents: int
    without: int  # units that lack a field
    groups: tuple[SavedGroup, ...]  # the largest first, at most ``top``
    other_groups: int
    other_units: int  # in them; one of several groups counts in each
    numbers: Numbers | None
    paths: tuple[str, ...] = ()  # of its chunks, those of rules last


def saved(counted: Counted, paths: tuple[str, ...]) -> SavedCard:
    """A card as it is kept."""
    settings = counted.definition.settings
    shown, others = counted.groups[: settings.top], counted.groups[settings.top :]
    groups = tuple(
        SavedGroup(
            group.values,
            described(counted, group),
            group.count,
            round(group.count / counted.total, 6),
            group.numbers,
        )
        for group in shown
    )
    return SavedCard(
        settings.name,
        settings,
        counted.definition.fields,
        noun(counted),
        counted.language,
        counted.total,
        counted.documents,
        counted.without,
        groups,
        len(others),
        sum(group.count for group in others),
        counted.numbers,
        paths,
    )


def write(folder: Path, cards: list[SavedCard]) -> None:
    """Write the file into a component's folder."""
    (folder / FILE).write_bytes(msgspec.json.encode(cards))


def read(folder: Path) -> list[SavedCard]:
    """The cards of a component."""
    return msgspec.json.decode((folder / FILE).read_bytes(), type=list[SavedCard])


def texts(folder: Path) -> dict[str, str]:
    """What the chunks of a component say, by path."""
    return {chunk.path: chunk.text for chunk in made_chunks(folder)}
