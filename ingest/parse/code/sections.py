"""Elements of source code: spans of lines with the definitions around them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ingest.parse.source_lines import SourceLines
from kb.records import Element

MAX_LINES = 80  # of a definition that is one element; the head of a longer one stands alone


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines ``first`` to ``last - 1``, from 0, inside the definitions `path`.

    `opens`: the lines are a definition's head, the last name of `path` being its name.
    """

    first: int
    last: int
    path: tuple[str, ...] = ()
    opens: bool = False


def elements(lines: SourceLines, pieces: Iterable[Piece]) -> tuple[Element, ...]:
    """One element a piece, a short definition whole; blank edges cut off, indentation kept."""
    found: list[Element] = []
    for piece in _whole(pieces):
        span = lines.trimmed(piece.first, piece.last, indented=True)
        if span is not None:
            found.append(Element("code", *span, piece.path))
    return tuple(found)


def _whole(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """A head joined with what follows in the same definition, all of it or nothing."""
    held: list[Piece] = []
    for piece in pieces:
        if held and not piece.opens and piece.path == held[0].path:
            held.append(piece)
            continue
        yield from _joined(held)
        held = [piece]
        if not piece.opens:
            yield from _joined(held)
            held = []
    yield from _joined(held)


def _joined(held: list[Piece]) -> list[Piece]:
    if held and held[-1].last - held[0].first <= MAX_LINES:
        return [replace(held[0], last=held[-1].last)]
    return held
