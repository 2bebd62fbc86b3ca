"""Chooses the engine by what a question costs: exact search while that is quick, then a graph."""

import importlib.util
from pathlib import Path
from typing import ClassVar

from msgspec.structs import replace

from index.engines.base import Engine, Floats, Mask, Rows
from index.engines.exact import ExactEngine
from index.engines.faiss import FaissEngine
from index.engines.hnsw import HnswEngine
from index.engines.seal import sealed_engine
from kb.registry import PARTS, load
from kb.settings import EngineSettings

# Numbers compared for a question: vectors times their dimension, 100,000 of 384. Measured on two
# cores, 384 numbers a vector: an exact question takes 1.7 ms with 25,000, 3.3 ms with 50,000 and 7 to
# 27 ms with 100,000 (idle and busy), where embedding the question takes 4 to 26. hnsw answers in 1 ms
# there, but takes minutes (7 on busy cores) to build, and each generation builds its engine anew.
EXACT_UP_TO = 38_400_000
_GRAPHS = ("hnsw", "faiss hnsw")  # the one that is installed, the first if both are


class AutoEngine:
    """Hands over to the engine that `pick` names; its files are that engine's."""

    # raised with that of any engine it may pick: their files are its files
    version: ClassVar[int] = (
        100 * HnswEngine.version + 10 * FaissEngine.version + ExactEngine.version
    )

    def __init__(self, settings: EngineSettings) -> None:
        self._settings = settings
        self._name = "exact"
        self._engine: Engine = ExactEngine(settings)

    def build(self, vectors: Floats) -> None:
        """See `Engine.build`."""
        rows, dimension = vectors.shape
        self._use(pick(rows, dimension))
        self._engine.build(vectors)

    def save(self, folder: Path) -> None:
        """See `Engine.save`."""
        self._engine.save(folder)

    def load(self, folder: Path, vectors: Floats) -> None:
        """Load the engine that the files are of, which is not always what would be picked now."""
        name = sealed_engine(folder)
        if name not in ("exact", *_GRAPHS):
            raise ValueError(f"{folder} was built with engine {name}, which auto never picks")
        self._use(name)
        self._engine.load(folder, vectors)

    def search(self, queries: Floats, k: int, live: Mask | None = None) -> tuple[Rows, Floats]:
        """See `Engine.search`."""
        return self._engine.search(queries, k, live)

    @property
    def note(self) -> str:
        """Which engine it is."""
        return f"engine auto: {self._name}"

    def _use(self, name: str) -> None:
        engine, _, kind = name.partition(" ")
        settings = replace(self._settings, faiss_kind="hnsw") if kind else self._settings
        self._name = name
        self._engine = load("engine", engine)(settings)


def pick(rows: int, dimension: int) -> str:
    """The engine for so many vectors: exact, hnsw, or "faiss hnsw"; exact where there is no graph."""
    if rows * dimension <= EXACT_UP_TO:
        return "exact"
    return next((name for name in _GRAPHS if _is_there(name)), "exact")


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(PARTS["engine"][name.split()[0]].needs) is not None
