"""The passages that derived chunks stand on."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import msgspec
import numpy as np
from numpy.typing import NDArray

from index.derived.joined import leaves_of
from index.reader import GenerationReader
from kb.records import Chunk, Expansion, Hit, Quote

KIND = "leaves"  # of the expansion
_GAP = "\n\n"
_OWN_WORDS = ("text", "card")
Mask = NDArray[np.bool_]


class _Id(msgspec.Struct, frozen=True):
    id: str


_decode = msgspec.json.Decoder(_Id).decode


def with_leaves(
    hits: Sequence[Hit], reader: GenerationReader, most: int, live: Mask | None
) -> list[Hit]:
    """The hits, derived chunks among them with the leaves they stand on, as far as these may be shown.

    Args:
        hits: best first.
        reader: of their generation.
        most: characters of one hit's leaves, in whole leaves; the first always fits.
        live: which leaves may be shown, bool (n,); None for all.
    """
    leaves = leaves_of(reader)
    wanted = {leaf for hit in hits if hit.chunk.kind != "text" for leaf in hit.chunk.leaves}
    rows = _rows(leaves, wanted) if wanted else {}
    if live is not None:
        rows = {name: row for name, row in rows.items() if live[row]}
    found = []
    for hit in hits:
        under = sorted(rows[leaf] for leaf in hit.chunk.leaves if leaf in rows)
        chunks = [leaves.chunks[row] for row in under]
        found.append(replace(hit, expanded=_joined(chunks, most, hit.rank)) if chunks else hit)
    return found


def passages(hits: Sequence[Hit], reader: GenerationReader) -> list[Hit]:
    """The hits, derived chunks replaced by the passages whose words they tell, each passage once.

    A chunk that quotes nothing is replaced by all it stands on, and a card by nothing: no passage says
    what it says.
    """
    leaves = leaves_of(reader)
    told = {hit.chunk.id: _told(hit) for hit in hits if hit.chunk.kind not in _OWN_WORDS}
    rows = _rows(leaves, {name for names in told.values() for name in names}) if told else {}
    found: dict[str, Hit] = {}
    for hit in hits:
        for name in told.get(hit.chunk.id, ()):
            if name in rows:
                found.setdefault(name, Hit(hit.rank, hit.score, leaves.chunks[rows[name]]))
        if hit.chunk.kind in _OWN_WORDS:
            found.setdefault(hit.chunk.id, hit)
    return list(found.values())


def _told(hit: Hit) -> list[str]:
    quotes = hit.expanded.quotes if hit.expanded is not None else hit.chunk.quotes
    return list(dict.fromkeys(quote.leaf for quote in quotes)) or list(hit.chunk.leaves)


def cited(found: Expansion) -> Iterator[tuple[str, str]]:
    """The text in runs that are of one passage, and where each stands: ``docs/a.md:12``."""
    for _, run in groupby(found.quotes, key=lambda quote: quote.leaf):
        quotes = list(run)
        text = found.text[quotes[0].start : quotes[-1].end]
        cut = found.text.startswith("…", quotes[-1].end)
        yield f"{text}…" if cut else text, _place(quotes)


def _place(quotes: Sequence[Quote]) -> str:
    first, last = quotes[0], quotes[-1]
    if first.lines and last.lines:
        start, end = first.lines[0], last.lines[1]
        return f"{first.path}:{start}" + (f"-{end}" if end > start else "")
    return f"{first.path}#page={first.pages[0]}" if first.pages else first.path


def _rows(leaves: GenerationReader, wanted: set[str]) -> dict[str, int]:
    """Rows by id; of a large table only ids are read."""
    table = leaves.chunks
    names = ((_decode(table.raw(row, row + 1)).id, row) for row in range(len(table)))
    return {name: row for name, row in names if name in wanted}


def _joined(chunks: Sequence[Chunk], most: int, rank: int) -> Expansion:
    parts: list[str] = []
    quotes: list[Quote] = []
    at = left_out = 0
    for chunk in chunks:
        if parts and at + len(_GAP) + len(chunk.text) > most:
            left_out += len(chunk.text)
            continue
        at += len(_GAP) if parts else 0
        end = at + len(chunk.text)
        quotes.append(
            Quote(at, end, chunk.id, chunk.start, chunk.end, chunk.path, chunk.lines, chunk.pages)
        )
        parts.append(chunk.text)
        at = end
    return Expansion(
        KIND, _GAP.join(parts), 0, at, after=left_out, ranks=(rank,), quotes=tuple(quotes)
    )
