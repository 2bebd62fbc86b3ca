"""What a derived chunk stands on, for people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli import say

if TYPE_CHECKING:
    from index.reader import GenerationReader
    from kb.records import Chunk, Quote
    from query.filter.apply import Mask

_NAMED = 20  # files; programs get all in JSON


def stands_on(chunk: "Chunk", reader: "GenerationReader", readable: "Mask | None") -> Iterator[str]:
    """How many passages, the places that it quotes, and the files of the others.

    Args:
        chunk: a derived one, which whoever asks may read.
        reader: of its generation.
        readable: rows that may be named, of leaves first; None for all. What a summary does not quote
            may be closed to those who read it.
    """
    wanted = set(chunk.leaves)
    files: dict[str, int] = {}
    for number, document in enumerate(reader.chunks.documents):
        rows = range(*reader.chunks.rows(number))
        open_rows = rows if readable is None else [row for row in rows if readable[row]]
        held = sum(reader.chunks[row].id in wanted for row in open_rows)
        if held:
            files[document.path] = held
    yield (
        f"stands on {say.count(sum(files.values()), 'passage')} "
        f"of {say.count(len(files), 'document')}"
    )
    quoted = list(dict.fromkeys(map(_place, chunk.quotes)))
    yield from _named("quotes", quoted)
    quoted_files = {quote.path for quote in chunk.quotes}
    yield from _named("also of", [path for path in files if path not in quoted_files])


def _named(label: str, names: list[str]) -> Iterator[str]:
    for name in names[:_NAMED]:
        yield f"{label} {say.in_line(name)}"
    if len(names) > _NAMED:
        yield f"{label} {len(names) - _NAMED} more: --format json names all"


def _place(quote: "Quote") -> str:
    if quote.lines:
        return f"{quote.path}:{quote.lines[0]}"
    return f"{quote.path}#page={quote.pages[0]}" if quote.pages else quote.path
