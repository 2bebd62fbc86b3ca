"""The text around a hit, put together from the chunks that the generation holds, not from the file.

Only chunks of the hit's own document are joined, so whoever may read the hit may read its surroundings,
and they are as valid as it is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from index.reader import GenerationReader
from kb.errors import UsageError
from kb.records import Expansion, Hit
from kb.settings import QuerySettings
from query.around import Expand, asked_for, fitting, place_of, row_of
from query.joined import joined
from query.leaves import Mask, with_leaves

_NAMED: Mapping[str, Expand | None] = {
    "none": None,
    "section": Expand("section"),
    "document": Expand("document"),
    "leaves": Expand("leaves"),
}
_WINDOW = re.compile(r"window:([1-9][0-9]{0,3})")


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of one document, both ends inside: what is shown, and all of what was asked for."""

    document: int
    first: int
    last: int
    whole: tuple[int, int]
    ranks: tuple[int, ...]

    def meets(self, other: "_Rows") -> bool:
        same = self.document == other.document
        return same and self.first <= other.last and other.first <= self.last

    def with_(self, other: "_Rows") -> "_Rows":
        whole = (min(self.whole[0], other.whole[0]), max(self.whole[1], other.whole[1]))
        first, last = min(self.first, other.first), max(self.last, other.last)
        return _Rows(self.document, first, last, whole, (*self.ranks, *other.ranks))


def read_expand(text: str) -> Expand | None:
    """``section``, ``window:2``, ``document``, ``leaves``; None for ``none``.

    Raises:
        UsageError: it is none of them.
    """
    if text in _NAMED:
        return _NAMED[text]
    found = _WINDOW.fullmatch(text)
    if found is None:
        raise UsageError(
            f"expand: {text!r} is no piece of a document: write section, document, leaves, or "
            "window:N for N chunks before and after (1 to 9999), e.g. window:2"
        )
    return Expand("window", int(found[1]))


def expanded(
    hits: Sequence[Hit],
    reader: GenerationReader,
    settings: QuerySettings,
    live: Mask | None = None,
) -> list[Hit]:
    """The hits with the text around them, as ``query.expand`` says.

    A piece is at most ``query.expand_characters`` long, in whole chunks around the hit, whose own words
    are always in it. Pieces that share a chunk become one, which the best of their hits carries; the
    others point to it by its rank.

    Raises:
        UsageError: the setting cannot be read.
    """
    how = read_expand(settings.expand)
    if how is None:
        return list(hits)
    if how.kind == "leaves":
        return with_leaves(hits, reader, settings.expand_characters, live)
    numbers = {document.path: i for i, document in enumerate(reader.chunks.documents)}
    pieces = _merged(
        _rows(reader, numbers, hit, how, settings.expand_characters)
        for hit in hits
        if hit.chunk.kind == "text"
    )
    carried = {min(rows.ranks): _expansion(reader, rows, how) for rows in pieces}
    within = {rank: min(rows.ranks) for rows in pieces for rank in rows.ranks}
    return [
        replace(
            hit,
            expanded=carried.get(hit.rank, hit.expanded),
            expanded_in=None if hit.rank in carried else within.get(hit.rank),
        )
        for hit in hits
    ]


def _merged(found: Iterable[_Rows]) -> list[_Rows]:
    pieces: list[_Rows] = []
    for rows in found:
        meeting = [piece for piece in pieces if piece.meets(rows)]
        for piece in meeting:
            rows = piece.with_(rows)
        pieces = [piece for piece in pieces if piece not in meeting] + [rows]
    return pieces


def _rows(
    reader: GenerationReader, numbers: Mapping[str, int], hit: Hit, how: Expand, most: int
) -> _Rows:
    document = numbers[hit.chunk.path]
    first, end = reader.chunks.rows(document)
    row = row_of(reader, hit.chunk, first, end)
    whole = asked_for(reader, how, row, first, end - 1)
    shown = fitting(reader, row, whole, most)
    return _Rows(document, *shown, whole, (hit.rank,))


def _expansion(reader: GenerationReader, rows: _Rows, how: Expand) -> Expansion:
    chunks = [reader.chunks[row] for row in range(rows.first, rows.last + 1)]
    start, end = chunks[0].start, max(chunk.end for chunk in chunks)
    lines = [chunk.lines for chunk in chunks if chunk.lines]
    pages = [chunk.pages for chunk in chunks if chunk.pages]
    return Expansion(
        how.kind,
        joined(chunks),
        start,
        end,
        lines=(min(a for a, _ in lines), max(b for _, b in lines)) if lines else None,
        pages=(min(a for a, _ in pages), max(b for _, b in pages)) if pages else None,
        before=start - place_of(reader, rows.whole[0]).start,
        after=max(place_of(reader, rows.whole[1]).end - end, 0),
        ranks=tuple(sorted(rows.ranks)),
    )
