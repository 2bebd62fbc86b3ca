"""Every vector is compared: right by construction, and quick up to some 100,000 rows."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from index.engines.base import Floats, Mask, Rows
from index.engines.scoring import check_search, search_exact
from index.engines.seal import Seal, read_seal, write_seal
from kb.settings import EngineSettings


class ExactEngine:
    """Compares the query with all live rows of the mapped matrix; its folder holds a seal only."""

    version: ClassVar[int] = 1

    def __init__(self, settings: EngineSettings) -> None:
        self._vectors: Floats = np.empty((0, 0), np.float32)

    def build(self, vectors: Floats) -> None:
        """Keep the matrix; see `Engine.build`."""
        self._vectors = np.asarray(vectors)

    def save(self, folder: Path) -> None:
        """Write the seal; see `Engine.save`."""
        write_seal(folder, self._seal(self._vectors))

    def load(self, folder: Path, vectors: Floats) -> None:
        """Check that this matrix was indexed; see `Engine.load`."""
        read_seal(folder, self._seal(vectors))
        self._vectors = np.asarray(vectors)

    def search(self, queries: Floats, k: int, live: Mask | None = None) -> tuple[Rows, Floats]:
        """See `Engine.search`."""
        check_search(self._vectors, queries, k, live)
        return search_exact(self._vectors, queries, k, live)

    @property
    def note(self) -> str:
        """Always "": there is nothing to fall back to."""
        return ""

    def _seal(self, vectors: Floats) -> Seal:
        rows, dimension = vectors.shape
        return Seal("exact", self.version, rows, dimension)
