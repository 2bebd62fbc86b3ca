"""What every derivation promises: from the chunks of a generation to chunks about them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from index.chunk_table import ChunkTable
from ingest.contextualize.wish import Wish
from ingest.read_report import Progress
from kb.errors import BudgetReached, Unavailable
from kb.location import Location
from kb.models.embedder import Embedder
from kb.records import Chunk
from kb.settings import Settings
from kb.store import Store

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Making:
    """What a derivation works with."""

    location: Location
    store: Store
    settings: Settings
    embedder: Embedder
    progress: Progress
    wish: Wish
    table: ChunkTable  # of the generation in the making: the leaves
    vectors: Floats  # theirs, float32 (n, d), unit rows, memory-mapped
    before: Path | None  # this component's folder in the generation before, where it is whole
    table_before: ChunkTable | None  # the leaves it was made from
    # Unit vectors of derived texts, float32 (m, d), embedded only where the cache lacks them.
    embed: Callable[[Sequence[str]], Floats]
    # The same for what will not be indexed, such as names; makes no token codes.
    embed_only: Callable[[Sequence[str]], Floats]


@dataclass(frozen=True, slots=True)
class Made:
    """What came of it, besides the derivation's own files."""

    chunks: Sequence[Chunk] = ()  # derived, each with a path of its own
    # For each, the leaf rows whose words it holds. A filter, rights included, hides a derived chunk
    # unless it lets all of these through.
    stands_on: Sequence[Sequence[int]] = ()
    notes: tuple[str, ...] = ()
    calls: int = 0  # to an LLM
    pending: int = 0  # answers that an LLM is still to be asked for: the next run makes it again
    failed: dict[str, str] = field(default_factory=dict)  # what an LLM did not answer → why
    stopped: BudgetReached | Unavailable | None = None  # why answers are pending


class Derivation(Protocol):
    """Makes one component of a generation from its chunks and their vectors.

    Equal leaves, settings and component before give equal bytes.
    """

    name: ClassVar[str]  # of the component, and of the derivation in the registry

    @staticmethod
    def enabled(settings: Settings) -> bool:
        """Whether generations are to have it."""
        ...

    @staticmethod
    def key(settings: Settings, store: Store) -> tuple[str, ...]:
        """All that the result depends on besides the leaves: code version, settings, decisions."""
        ...

    @staticmethod
    def make(making: Making, folder: Path) -> Made:
        """Write the component's own files (plain arrays and JSON) into the empty `folder`.

        A cap, or a service that is down, ends the asking and not the making: what an LLM has not said
        is stood in for.
        """
        ...
