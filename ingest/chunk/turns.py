"""Topic turns: how unlike the sentences on the two sides of each place are."""

from bisect import bisect_left, insort
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ingest.chunk.atoms import Atoms, Level
from ingest.chunk.cut import Stretch
from ingest.chunk.reading import Reading
from kb.models.embedder import Floats

_DIGITS = 6  # distances are compared to this many places, so that machines agree


def sentence_places(atoms: Atoms) -> list[int]:
    """The atoms that begin a sentence, the first apart; a heading goes with what follows it."""
    return [int(at) + 1 for at in np.flatnonzero(atoms.level[1:] >= Level.SENTENCE)]


def sentence_texts(reading: Reading, atoms: Atoms, places: list[int], most: int) -> list[str]:
    """The text of each sentence; of one above `most` tokens only so many, enough for its topic."""
    texts: list[str] = []
    for low, high in zip([0, *places], [*places, len(atoms.start)], strict=True):
        start, end = int(atoms.start[low]), int(atoms.end[high - 1])
        if atoms.cost(low, high) > most:
            end = max(int(reading.tokens.starts[atoms.first[low] + most]), int(atoms.end[low]))
        texts.append(reading.text[start:end])
    return texts


def distances(vectors: Floats, window: int) -> NDArray[np.float64]:
    """One minus the cosine of the summed `window` rows before and after each inner bound.

    `vectors` has unit rows, shape (n, d); the result has shape (n - 1,). A side of sum zero is
    like nothing: distance 1.
    """
    count = len(vectors)
    sums = np.concatenate(
        [np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)]
    )
    at = np.arange(1, count)
    before = sums[at] - sums[np.maximum(at - window, 0)]
    after = sums[np.minimum(at + window, count)] - sums[at]
    norms = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    dots = np.sum(before * after, axis=1)
    cosine = np.divide(dots, norms, out=np.zeros(len(at)), where=norms > 1e-12)
    rounded: NDArray[np.float64] = np.round(1.0 - cosine, _DIGITS)
    return rounded


def cut_at_turns(
    atoms: Atoms, places: list[int], distance: NDArray[np.float64], floor: float, least: int
) -> list[Stretch]:
    """The whole cut at places of at least `floor` distance, the sharpest first.

    Only peaks count: a turn raises the distance of its neighbours too, whose windows reach over it.
    Both sides of a cut keep `least` tokens. Places that differ in nothing (distance 0) are no turn.
    """
    order = np.lexsort((atoms.key[places], -distance))
    cuts = [0, len(atoms.start)]
    for i in order[_is_peak(distance)[order] & (distance[order] >= floor)]:
        at = places[i]
        right = bisect_left(cuts, at)
        if min(atoms.cost(cuts[right - 1], at), atoms.cost(at, cuts[right])) >= least:
            insort(cuts, at)
    return list(pairwise(cuts))


def _is_peak(distance: NDArray[np.float64]) -> NDArray[np.bool_]:
    around = np.pad(distance, 1)
    return (distance > 0) & (distance >= around[:-2]) & (distance >= around[2:])


def cut_to_size(
    atoms: Atoms, stretch: Stretch, places: list[int], distance: NDArray[np.float64], sizes: Stretch
) -> list[Stretch]:
    """`stretch` cut at its sharpest places until it fits, in order.

    `sizes` are the least and the most tokens of a piece. A piece stays above the most where no
    place leaves both sides the least.
    """
    done: list[Stretch] = []
    todo = [stretch]
    while todo:
        low, high = todo.pop()
        at = _sharpest(atoms, (low, high), places, distance, sizes)
        if at is None:
            done.append((low, high))
        else:
            todo += [(at, high), (low, at)]
    return done


def _sharpest(
    atoms: Atoms, stretch: Stretch, places: list[int], distance: NDArray[np.float64], sizes: Stretch
) -> int | None:
    """Where `cut_to_size` cuts `stretch` next; of equal places the middle one."""
    least, most = sizes
    low, high = stretch
    if atoms.cost(low, high) <= most:
        return None
    begin, stop = bisect_left(places, low + 1), bisect_left(places, high)
    inside = np.asarray(places[begin:stop], np.int64)
    first = atoms.first[inside]
    room = np.minimum(first - atoms.first[low], atoms.last[high - 1] - first)
    allowed = np.flatnonzero(room >= least)
    if not len(allowed):
        return None
    near = distance[begin:stop][allowed]
    ties = allowed[np.flatnonzero(near == near.max())]
    return int(inside[ties[len(ties) // 2]])


def join_small(atoms: Atoms, stretches: list[Stretch], sizes: Stretch) -> list[Stretch]:
    """Each piece joined to the one before where one is below the least and both fit the most."""
    least, most = sizes
    out: list[Stretch] = []
    for low, high in stretches:
        if out:
            before = out[-1]
            small = min(atoms.cost(*before), atoms.cost(low, high)) < least
            if small and atoms.cost(before[0], high) <= most:
                out[-1] = (before[0], high)
                continue
        out.append((low, high))
    return out
