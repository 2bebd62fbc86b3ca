"""Cards as a component of a generation: counted anew whenever a leaf changed.

What counts is imported when something is to be counted: each sync of each KB comes by here.
"""

from pathlib import Path
from typing import ClassVar

from index.derived.base import Made, Making
from kb.digest import digest_settings
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
        from index.cards import rules
        from index.cards.definition import TODAY, definitions

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
        """See `index.cards.make.make`."""
        from index.cards.make import make

        return make(making, folder)
