"""Names of one thing by what is said of them; only where an LLM described the entities."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from index.graph.resolve.atoms import AtomKey
from index.graph.resolve.view import View


def rounds(
    view: View, embed: Callable[[Sequence[str]], NDArray[np.float32]]
) -> Iterator[list[tuple[AtomKey, AtomKey]]]:
    """Pairs, the surest first; each round sees what the one before joined."""
    yield []
