"""What users decided about names, in the store."""

from collections.abc import Sequence

import msgspec

from index.graph.resolve.decisions import Decision
from kb.store import Store
from kb.store.extractions import Extractions

_decode = msgspec.json.Decoder(Decision).decode


def decisions_of(store: Store) -> list[Decision]:
    """All of them, in order."""
    return [_decode(record) for record in Extractions(store).decisions()]


def decide(store: Store, decisions: Sequence[Decision]) -> None:
    """Have these be all of them."""
    Extractions(store).decide([msgspec.json.encode(one) for one in decisions])
