"""From definitions to cards: counted, put into words, cut to the size of chunks."""

from itertools import chain
from pathlib import Path

from index.cards import rules, saved
from index.cards.counting import Counted, counted
from index.cards.definition import definitions
from index.cards.pages import chunks
from index.cards.units import Base
from index.cards.wording import said
from index.derived.base import Made, Making
from kb.records import Chunk


def make(making: Making, folder: Path) -> Made:
    """All cards of the settings; their numbers go into ``cards.json``."""
    base = Base(making.table, making.store, making.settings.parse.json_title)
    all_found = [counted(one, base) for one in definitions(making.settings.cards)]
    making.progress("cards", len(all_found))
    found = [one for one in all_found if one.groups]
    pages = [_chunks(making, one) for one in found]
    stands = [list(one.rows) for one, of in zip(found, pages, strict=True) for _ in of]
    asked = rules.rules(making, base, found)
    cards = [
        saved.saved(one, (*(page.path for page in of), *asked.paths.get(one.definition.name, ())))
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
