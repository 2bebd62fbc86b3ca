"""Cards as a component of a generation: counted anew whenever a leaf changed."""

from pathlib import Path
from typing import ClassVar

from index.cards import saved
from index.cards.counting import Counted, counted
from index.cards.definition import TODAY, Definition, definitions
from index.cards.pages import chunks
from index.cards.units import Base
from index.cards.wording import said
from index.derived.base import Made, Making
from kb.digest import digest_settings
from kb.records import Chunk
from kb.settings import Settings
from kb.store import Store

VERSION = 1


class Cards:
    """See `index.derived.base.Derivation`.

    A card stands on every leaf that it counts: whoever may not read one of them does not see it.
    """

    name: ClassVar[str] = "cards"

    @staticmethod
    def enabled(settings: Settings) -> bool:
        """Where there is something to count."""
        return bool(settings.cards.counts)

    @staticmethod
    def key(settings: Settings, store: Store) -> tuple[str, ...]:
        """Also the day, where a card is of today, and the sources' roots, by which it may group.

        Raises:
            UsageError: a definition cannot be read.
        """
        found = definitions(settings.cards)
        days = [str(one.day) for one in found if one.settings.as_of == TODAY]
        return (
            str(VERSION),
            digest_settings(settings.cards),
            str(settings.chunk.size),
            settings.parse.json_title,
            *days[:1],
            *sorted(row.root for row in store.sources()),
        )

    @staticmethod
    def make(making: Making, folder: Path) -> Made:
        """Count, and say it."""
        base = Base(making.table, making.store, making.settings.parse.json_title)
        made: list[Chunk] = []
        stands: list[list[int]] = []
        notes: list[str] = []
        cards: list[saved.SavedCard] = []
        for definition in definitions(making.settings.cards):
            found = counted(definition, base)
            making.progress("cards", 1)
            if not found.groups:
                notes.append(nothing_found(definition, found))
                continue
            pages = _chunks(making, found)
            made += pages
            stands += [list(found.rows)] * len(pages)
            cards.append(saved.saved(found, tuple(page.path for page in pages)))
        saved.write(folder, cards)
        return Made(made, stands, tuple(notes))


def nothing_found(definition: Definition, found: Counted) -> str:
    """Why there is no card."""
    fields = " and ".join(definition.fields)
    if not found.total:
        return f"card {definition.name}: there is nothing to count, so there is no card"
    return (
        f"card {definition.name}: none of {found.total:,} {definition.settings.of} has {fields}, so "
        "there is no card"
    )


def _chunks(making: Making, found: Counted) -> list[Chunk]:
    count = making.embedder.tokenizer.count
    return chunks(found, said(found), making.table, count, making.settings.chunk.size)
