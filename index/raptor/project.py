"""Principal axes: where rows of many numbers differ most, in a few.

They take the place of the paper's UMAP, which finds clusters that agree better with documents (normalised
mutual information .90 against .85 on paragraphs of articles, .82 against .78 on sections of a
framework's documentation), but keeps no plain arrays that a newcomer could be placed by, and brings 190 MB.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]
Doubles = NDArray[np.float64]

SAMPLE = 20_000  # rows that axes and mixtures are fitted to, evenly taken where there are more
_BLOCK = 4096
_FLAT = 1e-9  # variance below which rows of unit length are the same


@dataclass(frozen=True, slots=True)
class Axes:
    """A point and orthogonal directions from it."""

    mean: Vectors  # (d,)
    directions: Vectors  # (r, d), the widest first; r may be 0: all rows were the same

    def place(self, vectors: Vectors, rows: Rows) -> Doubles:
        """The chosen rows along the directions, float64 (len(rows), r).

        A row's numbers do not depend on its neighbours: BLAS would sum them in another order.
        """
        placed = np.empty((len(rows), len(self.directions)))
        directions = self.directions.astype(np.float64)
        for first in range(0, len(rows), _BLOCK):
            some = vectors[rows[first : first + _BLOCK]].astype(np.float64) - self.mean
            placed[first : first + _BLOCK] = np.einsum("nd,rd->nr", some, directions)
        return placed


def sample(rows: Rows) -> Rows:
    """At most `SAMPLE` of the rows, evenly spread."""
    if len(rows) <= SAMPLE:
        return rows
    return rows[np.linspace(0, len(rows) - 1, SAMPLE).astype(np.int64)]


def find_axes(vectors: Vectors, rows: Rows, dimensions: int) -> Axes:
    """The principal axes of the chosen rows, at most `dimensions`, one fewer than rows at most.

    Args:
        vectors: float32 (n, d), may be memory-mapped.
        rows: which of them count; not empty.
        dimensions: wanted.
    """
    chosen = sample(rows)
    mean = _mean(vectors, chosen)
    few = len(chosen) <= vectors.shape[1]
    widths, directions = (_by_rows if few else _by_columns)(vectors, chosen, mean)
    keep = min(dimensions, len(chosen) - 1, int((widths > _FLAT).sum()))
    return Axes(mean.astype(np.float32), _signed(directions[:keep]).astype(np.float32))


def _mean(vectors: Vectors, rows: Rows) -> Doubles:
    total = np.zeros(vectors.shape[1])
    for first in range(0, len(rows), _BLOCK):
        total += vectors[rows[first : first + _BLOCK]].sum(axis=0, dtype=np.float64)
    return total / len(rows)


def _by_rows(vectors: Vectors, rows: Rows, mean: Doubles) -> tuple[Doubles, Doubles]:
    """Variances, falling, and unit directions, from the products of rows: for few rows."""
    centred = vectors[rows].astype(np.float64) - mean
    values, sides = np.linalg.eigh(centred @ centred.T)
    values, sides = np.maximum(values[::-1], 0.0), sides[:, ::-1]
    lengths = np.sqrt(np.maximum(values, _FLAT * len(rows)))
    return values / len(rows), (sides.T @ centred) / lengths[:, None]


def _by_columns(vectors: Vectors, rows: Rows, mean: Doubles) -> tuple[Doubles, Doubles]:
    """The same from the covariance of columns: for many rows, a block in memory at a time."""
    width = vectors.shape[1]
    products = np.zeros((width, width))
    for first in range(0, len(rows), _BLOCK):
        some = vectors[rows[first : first + _BLOCK]].astype(np.float64) - mean
        products += some.T @ some
    values, sides = np.linalg.eigh(products / len(rows))
    return np.maximum(values[::-1], 0.0), sides.T[::-1]


def _signed(directions: Doubles) -> Doubles:
    """Each direction so turned that its greatest number is positive: an axis has no sign."""
    if not len(directions):
        return directions
    # Rounded, so that the last bit does not decide which of two equal numbers is the greater.
    greatest = np.abs(directions).round(6).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), greatest])
    turned: Doubles = directions * signs[:, None]
    return turned
