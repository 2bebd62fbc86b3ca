"""What of a passage can stand alone: a sentence, a table's row, a block of code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ingest.chunk.sentences import sentence_starts
from kb.records import Chunk

_FENCE = re.compile(r"[^\S\n]*(`{3,}|~{3,})")
_RULE = re.compile(r"[\s|:=+\-_*~#.]*")  # a line without words: rules of tables and headings
_HEADING = re.compile(r"\s*#{1,6}\s")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|>)\s+")
_HAS_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a passage: ``chunk.text[start:end]``, without blanks and list marks around it."""

    start: int
    end: int
    kind: Literal["sentence", "row", "block"]
    header: str = ""  # a row's: the first line of its table


@dataclass(frozen=True, slots=True)
class _Paragraph:
    start: int
    end: int
    code: bool


def units(chunk: Chunk) -> list[Unit]:
    """The units of a passage, in order; headings and lines without words are none."""
    found: list[Unit] = []
    for part in _paragraphs(chunk.text):
        text = chunk.text[part.start : part.end]
        if part.code or set(chunk.kinds) == {"code"}:
            found.append(Unit(part.start, part.end, "block"))
        elif set(chunk.kinds) == {"table"} or _is_table(text):
            found += _rows(text, part.start)
        else:
            found += _sentences(text, part.start)
    headings = {" ".join(title.split()) for title in (*chunk.heading, chunk.title)}
    return [
        unit
        for unit in found
        if _HAS_WORD.search(chunk.text, unit.start, unit.end)
        and " ".join(chunk.text[unit.start : unit.end].split()) not in headings
    ]


def lines_of(chunk: Chunk, start: int, end: int) -> tuple[int, int] | None:
    """Lines of ``chunk.text[start:end]`` in the source.

    The whole passage's where its lines are not those of its text; None where it has none.
    """
    if chunk.lines is None:
        return None
    first, last = chunk.lines
    if chunk.text.rstrip("\n").count("\n") != last - first:
        return chunk.lines
    begin = first + chunk.text.count("\n", 0, start)
    return begin, begin + chunk.text.count("\n", start, end)


def _paragraphs(text: str) -> Iterator[_Paragraph]:
    """Between blank lines; a fenced block is one, whatever is in it."""
    start, fence, at = None, "", 0
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                yield _Paragraph(start or 0, at + len(line.rstrip()), True)
                start, fence = None, ""
        elif mark:
            if start is not None:
                yield _Paragraph(start, at, False)
            start, fence = at, mark[1]
        elif not line.strip():
            if start is not None:
                yield _Paragraph(start, at, False)
            start = None
        elif start is None:
            start = at
        at += len(line)
    if start is not None:
        yield _Paragraph(start, at, bool(fence))


def _is_table(text: str) -> bool:
    lines = text.strip().splitlines()
    return len(lines) > 1 and all(line.lstrip().startswith("|") or " | " in line for line in lines)


def _rows(text: str, offset: int) -> Iterator[Unit]:
    lines = [found.span() for found in re.finditer(r"[^\n]*\S[^\n]*", text)]
    header = ""
    ruled = len(lines) > 1 and _RULE.fullmatch(text, *lines[1]) is not None
    if ruled or (len(lines) > 2 and " | " in text):
        header = text[slice(*lines.pop(0))].strip()
    for start, end in lines:
        yield _trimmed(text, start, end, offset, "row", header)


def _sentences(text: str, offset: int) -> Iterator[Unit]:
    starts = sentence_starts(text)
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        if not _HEADING.match(text, start, end):
            yield _trimmed(text, start, end, offset, "sentence")


def _trimmed(
    text: str,
    start: int,
    end: int,
    offset: int,
    kind: Literal["sentence", "row"],
    header: str = "",
) -> Unit:
    if kind == "sentence" and (mark := _BULLET.match(text, start, end)):
        start = mark.end()
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return Unit(offset + start + left, offset + start + len(piece.rstrip()), kind, header)
