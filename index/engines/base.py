"""What every engine promises."""

from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from kb.settings import EngineSettings

Floats = NDArray[np.float32]
Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Searchable(Protocol):
    """Finds the rows of a matrix of unit vectors that are nearest to a query, by dot product."""

    def search(self, queries: Floats, k: int, live: Mask | None = None) -> tuple[Rows, Floats]:
        """Nearest rows and their dot products, both of shape (q, k), best first.

        `queries` is float32 (q, d) with unit rows. `live`, bool (n,), leaves out rows that are False:
        tombstones and filters. When fewer than k rows are live, rows end in id -1 and score -inf;
        when k or more are, exactly k come back. Ties are broken by the lower row. Scores are exact dot
        products, whatever the engine.
        """
        ...


class Engine(Searchable, Protocol):
    """What can be built, saved and loaded besides.

    The matrix itself is never stored by the engine's files where it can be avoided: it is handed to
    `build` and `load`, memory-mapped. The same vectors and settings build the same bytes.
    """

    version: ClassVar[int]  # raised when old files can no longer be loaded

    def __init__(self, settings: EngineSettings) -> None: ...

    def build(self, vectors: Floats) -> None:
        """Index all rows of `vectors`, float32 (n, d), unit rows; n may be 0."""
        ...

    def save(self, folder: Path) -> None:
        """Write what `load` needs into the existing, empty `folder`."""
        ...

    def load(self, folder: Path, vectors: Floats) -> None:
        """Come back to the state of `save`; `vectors` is the matrix given to `build`.

        Raises:
            OSError | ValueError | RuntimeError: the files are damaged.
        """
        ...

    @property
    def note(self) -> str:
        """What was done other than asked (e.g. a fallback for few points), "" when nothing."""
        ...
