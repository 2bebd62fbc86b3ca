"""Elements of source code: spans of lines with the definitions around them."""

from collections.abc import Iterable
from dataclasses import dataclass

from ingest.parse.source_lines import SourceLines
from kb.records import Element


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
    """One element a piece, blank edges cut off, indentation kept; heads of definitions are headings."""
    found: list[Element] = []
    for piece in pieces:
        span = lines.trimmed(piece.first, piece.last, indented=True)
        if span is None:
            continue
        if piece.opens and piece.path:
            found.append(Element("heading", *span, piece.path, level=min(len(piece.path), 6)))
        else:
            found.append(Element("code", *span, piece.path))
    return tuple(found)
