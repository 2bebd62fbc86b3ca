"""Where to cut: by strength of place, then by content, never by counting from the top.

A stretch that is too long is cut at the strongest place far enough from both its ends, among equals
at the one whose following text has the smallest hash; both halves are treated alike. The cuts are
those of a random search tree (a treap: Seidel and Aragon, 1996), so an insertion moves only the
cuts of the small stretch that holds it.
"""

from bisect import bisect_left

import numpy as np

from ingest.chunk.atoms import Atoms, Level

Stretch = tuple[int, int]  # atoms low to high - 1

# (level, share of the limit that both sides must have), tried in this order
_STAGES: tuple[tuple[int, float], ...] = (
    *(
        (level, share)
        for level in range(Level.HIGHEST_HEADING, Level.BLOCK, -1)
        for share in (1 / 3, 1 / 8)
    ),
    (Level.BLOCK, 1 / 4),
    (Level.SENTENCE, 2 / 5),
    (Level.SENTENCE, 1 / 4),
    (Level.LINE, 2 / 5),
    (Level.WORD, 2 / 5),
    (Level.TOKEN, 2 / 5),
    *((level, 0.0) for level in range(Level.HIGHEST_HEADING, Level.GLUED - 1, -1)),
)
_SMALL = 4  # a stretch under a quarter of the limit may join another section


class Cutter:
    """Cuts stretches of one document's atoms."""

    def __init__(self, atoms: Atoms) -> None:
        self.atoms = atoms
        levels = range(Level.GLUED, Level.HIGHEST_HEADING + 1)
        self._places = [
            [int(at) for at in np.flatnonzero(atoms.level == level)] for level in levels
        ]
        self._first = [int(count) for count in atoms.first]

    def cut(self, stretch: Stretch, limit: int) -> list[Stretch]:
        """`stretch` in pieces of at most `limit` tokens (a single atom may be longer), in order."""
        done: list[Stretch] = []
        todo = [stretch]
        while todo:
            low, high = todo.pop()
            at = self.best(low, high, limit) if self.atoms.cost(low, high) > limit else None
            if at is None:
                done.append((low, high))
            else:
                todo += [(at, high), (low, at)]
        return done

    def best(self, low: int, high: int, limit: int) -> int | None:
        """The atom to begin the second half of a stretch with; None when it is one atom."""
        for level, share in _STAGES:
            places = self._places[level]
            begin = bisect_left(places, low + 1)
            stop = bisect_left(places, high)
            if begin < stop and (
                found := self._smallest(places[begin:stop], low, high, share * limit)
            ):
                return found
        return None

    def _smallest(self, places: list[int], low: int, high: int, margin: float) -> int:
        """The place with the smallest key at least `margin` tokens from both ends, else 0.

        Equal keys (repeated text): the middle one, so that the cuts stay even.
        """
        floor = self._first[low] + margin
        ceiling = int(self.atoms.last[high - 1]) - margin
        begin = bisect_left(places, floor, key=self._first.__getitem__)
        stop = bisect_left(places, ceiling + 0.5, key=self._first.__getitem__)
        if begin >= stop:
            return 0
        keys = self.atoms.key[places[begin:stop]]
        ties = np.flatnonzero(keys == keys.min())
        return places[begin + int(ties[len(ties) // 2])]

    def merge(self, stretches: list[Stretch], limit: int) -> list[Stretch]:
        """Neighbours joined while they fit `limit`, weakest place first, then smallest key.

        Over a heading only where one side is small, so that no chunk mixes two real sections.
        """
        atoms = self.atoms
        high_of = dict(stretches)
        low_of = {high: low for low, high in stretches}
        places = sorted(
            (low for low, _ in stretches[1:]), key=lambda at: (atoms.level[at], atoms.key[at])
        )
        for at in places:
            low, high = low_of[at], high_of[at]
            smaller = min(atoms.cost(low, at), atoms.cost(at, high))
            apart = atoms.level[at] > Level.BLOCK and smaller * _SMALL > limit
            if not apart and atoms.cost(low, high) <= limit:
                high_of[low] = high
                low_of[high] = low
                del high_of[at], low_of[at]
        return sorted(high_of.items())
