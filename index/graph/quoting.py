"""Where words of a leaf chunk stand in its document."""

from kb.records import Chunk, Quote


def lines_of(chunk: Chunk, start: int, end: int) -> tuple[int, int] | None:
    """The lines of characters ``start:end`` of a chunk's text; None where the format has none.

    Those of the whole chunk where its text is not, line by line, that of the file.
    """
    if chunk.lines is None:
        return None
    first, last = chunk.lines
    if chunk.text.count("\n") != last - first:
        return chunk.lines
    return first + chunk.text.count("\n", 0, start), first + chunk.text.count("\n", 0, end)


def quote(chunk: Chunk, start: int, end: int, at: int) -> Quote:
    """Characters ``start:end`` of a chunk's text, as they stand at `at` in a derived one."""
    return Quote(
        start=at,
        end=at + end - start,
        leaf=chunk.id,
        source_start=chunk.start + start,
        source_end=chunk.start + end,
        path=chunk.path,
        lines=lines_of(chunk, start, end),
        pages=chunk.pages,
    )
