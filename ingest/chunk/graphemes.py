"""Grapheme clusters: what a reader sees as one character is never cut."""

from bisect import bisect_left, bisect_right

import numpy as np
import regex
from numpy.typing import NDArray

# Only these can join two characters into one cluster, CR LF apart; all lie from U+0300 on.
_JOINS = "".join(
    rf"\p{{GCB={name}}}"
    for name in ("Extend", "SpacingMark", "ZWJ", "Prepend", "RI", "L", "V", "T")
)
_RUN = regex.compile(rf"(?:[^{_JOINS}\r\n]?[{_JOINS}]++)++[^{_JOINS}\r\n]?|\r\n")
_JOINT = regex.compile(f"[{_JOINS}]")
_CLUSTER = regex.compile(r"\X")


class Graphemes:
    """Cluster bounds of one text, kept only for clusters of more than one character."""

    def __init__(self, text: str) -> None:
        runs = _RUN.finditer(text) if _may_join(text) else ()
        clusters = [span for run in runs for span in _clusters(text, *run.span())]
        self._starts = [start for start, _ in clusters]
        self._ends = [end for _, end in clusters]

    def left(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Each position, moved to the start of the cluster it lies inside of."""
        if not self._starts:
            return positions
        starts, ends = np.asarray(self._starts, np.int64), np.asarray(self._ends, np.int64)
        at = np.searchsorted(starts, positions, side="right") - 1
        inside = (at >= 0) & (positions < ends[at])
        return np.where(inside, starts[at], positions)

    def left_of(self, position: int) -> int:
        """`position`, moved to the start of the cluster it lies inside of."""
        at = bisect_right(self._starts, position) - 1
        if at >= 0 and position < self._ends[at]:
            return self._starts[at]
        return position

    def right_of(self, position: int) -> int:
        """`position`, moved to the end of the cluster it lies inside of."""
        at = bisect_left(self._starts, position) - 1
        if at >= 0 and position < self._ends[at]:
            return self._ends[at]
        return position

    def trim(self, text: str, start: int, end: int) -> tuple[int, int]:
        """``text[start:end]`` without blanks around it; an accent keeps the blank it stands on.

        A blank span gives ``start == end``.
        """
        piece = text[start:end]
        kept = piece.strip()
        if not kept:
            return start, start
        first = start + len(piece) - len(piece.lstrip())
        return self.left_of(first), self.right_of(first + len(kept))


def _may_join(text: str) -> bool:
    letters = "" if text.isascii() else "".join(c for c in set(text) if c >= "\u0300")
    return "\r\n" in text or _JOINT.search(letters) is not None


def _clusters(text: str, start: int, end: int) -> list[tuple[int, int]]:
    spans = (match.span() for match in _CLUSTER.finditer(text, start, end))
    return [(a, b) for a, b in spans if b - a > 1]
