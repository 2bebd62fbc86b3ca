"""Which calling goes with each mention of a name: what tells namesakes of one document apart."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from index.graph.fold.pieces import Piece
from index.graph.names import name_key
from index.graph.people import calling_of
from index.graph.records import RawEntity

_Place = tuple[int, int]  # row and start


class Callings:
    """Of all names that are given one.

    A mention that is given none goes with the one before it in its document, and before the first with
    that one.
    """

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._given: dict[tuple[str, str], list[tuple[_Place, str]]] = defaultdict(list)
        for piece in pieces:
            for one in piece.extraction.entities:
                calling = calling_of(one.description)
                if calling:
                    place = (piece.row, _start(one))
                    self._given[piece.document, name_key(one.name)].append((place, calling))
        for given in self._given.values():
            given.sort()

    def of(self, piece: Piece, key: str, entity: RawEntity) -> str:
        """The calling that a mention goes with; "" where its document gives the name none."""
        given = self._given.get((piece.document, key))
        if given is None:
            return ""
        own = calling_of(entity.description)
        if own:
            return own
        place = (piece.row, _start(entity))
        return given[max(0, bisect_right(given, (place, "\uffff")) - 1)][1]


def _start(entity: RawEntity) -> int:
    return entity.spans[0][0] if entity.spans else 0
