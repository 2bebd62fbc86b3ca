"""Cards as a component of a generation: counted anew whenever a leaf changed."""

from itertools import chain
from pathlib import Path
from typing import ClassVar

from index.cards import rules, saved
from index.cards.counting import Counted, counted
from index.cards.definition import TODAY, definitions
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
            *rules.key(settings),
            *days[:1],
            *sorted(row.root for row in store.sources()),
        )

    @staticmethod
    def make(making: Making, folder: Path) -> Made:
        """Count, and say it."""
        base = Base(making.table, making.store, making.settings.parse.json_title)
        all_found = [counted(one, base) for one in definitions(making.settings.cards)]
        making.progress("cards", len(all_found))
        found = [one for one in all_found if one.groups]
        pages = [_chunks(making, one) for one in found]
        stands = [list(one.rows) for one, of in zip(found, pages, strict=True) for _ in of]
        asked = rules.rules(making, base, found)
        cards = [
            saved.saved(
                one, (*(page.path for page in of), *asked.paths.get(one.definition.name, ()))
            )
            for one, of in zip(found, pages, strict=True)
        ]
        saved.write(folder, cards)
        lost = (nothing_found(one) for one in all_found if not one.groups)
        return Made(
            [*chain.from_iterable(pages), *asked.chunks],
            [*stands, *asked.stands_on],
            (*lost, *asked.notes),
            asked.calls,
            asked.pending,
            asked.failed,
            asked.stopped,
        )


def nothing_found(found: Counted) -> str:
    """Why there is no card."""
    definition = found.definition
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
