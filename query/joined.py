"""Neighbouring chunks as one text."""

from collections.abc import Sequence

from kb.records import Chunk

_INDENT = 24


def joined(chunks: Sequence[Chunk]) -> str:
    """The text that neighbouring chunks of a document cover, nothing twice.

    As long as the document's own slice, and the same wherever a chunk lies. Blanks stand for the rest:
    blanks, too, or markup (a comment, front matter).
    """
    parts: list[str] = []
    furthest = chunks[0]
    for chunk in chunks:
        gap = chunk.start - furthest.end
        if gap > 0:
            parts.append(_blank(furthest, chunk, gap))
        if chunk is furthest or chunk.end > furthest.end:
            parts.append(chunk.text[max(-gap, 0) if chunk is not furthest else 0 :])
            furthest = chunk
    return "".join(parts)


def _blank(before: Chunk, after: Chunk, size: int) -> str:
    """Blanks between two chunks: as many line breaks as their lines tell, and spaces.

    A few spaces are likely the indentation of what follows; many stand for markup, at the end of a line.
    """
    if before.lines is None or after.lines is None:
        breaks = 0 if size == 1 else 2
    else:
        breaks = after.lines[0] - before.lines[1] - before.text.endswith("\n")
        if breaks <= 0 and size > 1:  # blocks of an HTML file of one line
            breaks = 2
    breaks = min(max(breaks, 0), size)
    spaces = " " * (size - breaks)
    lines = "\n" * breaks
    return lines + spaces if len(spaces) <= _INDENT else spaces + lines
