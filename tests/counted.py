"""Cards of small folders, counted with an embedder of no cost."""

from pathlib import Path
from typing import Any

import msgspec

from index.cards import saved
from index.cards.derivation import Cards
from index.cards.saved import SavedCard
from index.derived.reader import DerivedReader
from index.reader import GenerationReader
from index.sync import SyncReport
from kb import generations
from kb.configure import load_settings
from kb.location import at
from kb.records import Chunk
from kb.settings import LlmSettings, Settings
from tests.fake_embedder import FLAGS, FakeEmbedder
from tests.fake_embedder import synced as synced_at


def settings_for(*counts: dict[str, Any], size: int = 256, **llm: Any) -> Settings:
    """Settings with cards; `llm` as in the section of that name."""
    flags = {**FLAGS, "chunk.size": size, "cards.counts": list(counts)}
    made = load_settings(flags=flags, environment={})
    return msgspec.structs.replace(made, llm=LlmSettings(**llm)) if llm else made


def sync(home: Path, settings: Settings) -> SyncReport:
    return synced_at(home, FakeEmbedder(), settings)[1]


def cards_of(home: Path) -> dict[str, SavedCard]:
    """The cards of the current generation, by name."""
    folder = generations.current_folder(at(home))
    assert folder is not None
    return {card.name: card for card in saved.read(folder / Cards.name)}


def chunks_of(home: Path) -> dict[str, Chunk]:
    """Their chunks, by path."""
    reader = GenerationReader.open(at(home))
    return {chunk.path: chunk for chunk in DerivedReader(reader).chunks}


def counts_of(home: Path, settings: Settings) -> dict[str, int]:
    """Sync, and how many units each group of the only card has, by its values in lower case."""
    sync(home, settings)
    (card,) = cards_of(home).values()
    return {" ".join(group.values).lower(): group.count for group in card.groups}
