"""Questions from a stream: JSONL, TSV or TREC topics, told apart by the first sign that is no blank."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import msgspec

from kb.errors import UsageError

LONGEST = 1 << 20  # bytes of a line or a topic
_BOM = b"\xef\xbb\xbf"
_OPEN = re.compile(r"<(top|topic)\b([^>]*)>", re.IGNORECASE)
_CLOSE = re.compile(r"</(top|topic)\s*>", re.IGNORECASE)
_NUMBER = re.compile(r"\bnumber\s*=\s*[\"']?([^\"'\s>]+)|<num>\s*(?:Number:)?\s*([^<\s]+)", re.I)
_TITLE = re.compile(r"<(?:title|query)>\s*(?:Topic:)?([^<]*)", re.IGNORECASE)
_DESCRIPTION = re.compile(r"<(?:desc|question)>\s*(?:Description:)?([^<]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One question as it was given, or why it cannot be read."""

    id: str | int  # the line's number where none is given
    fields: dict[str, Any] = field(default_factory=dict)  # "text", "lex", "k" …; not yet checked
    error: str = ""


def read_lines(stream: BinaryIO) -> Iterator[Line]:
    """The questions of a stream, one at a time; blank lines count but are none.

    A file's name that ends in .jsonl says what it is, even where its first line is broken.
    """
    lines = _bounded(stream)
    first = next(((n, raw) for n, raw in lines if raw is None or raw.strip()), None)
    if first is None:
        return
    sign = (first[1] or b"").lstrip()[:1]
    read = {b"{": _jsonl, b"<": _trec}.get(sign, _tsv)
    if str(getattr(stream, "name", "")).lower().endswith((".jsonl", ".ndjson")):
        read = _jsonl
    yield from _with_own_ids(read(_again(first, lines)))


def _with_own_ids(lines: Iterator[Line]) -> Iterator[Line]:
    """An id that came before is an error: an evaluator would take both answers for one."""
    seen: set[int] = set()  # hashes, 32 bytes a question
    for line in lines:
        mark = hash(str(line.id))
        if mark in seen and not line.error:
            line = Line(line.id, error=f"id {line.id!r} came before")
        seen.add(mark)
        yield line


def _again(
    first: tuple[int, bytes | None], rest: Iterator[tuple[int, bytes | None]]
) -> Iterator[tuple[int, bytes | None]]:
    yield first
    yield from rest


def _bounded(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Number and bytes of each line; None for one that is too long, whose bytes are passed over."""
    number = 0
    while raw := stream.readline(LONGEST):
        if number == 0:
            raw = raw.removeprefix(_BOM)
        number += 1
        whole = raw.endswith(b"\n") or len(raw) < LONGEST
        while not raw.endswith(b"\n") and len(raw) == LONGEST:
            raw = stream.readline(LONGEST)
        yield number, raw if whole else None


def _jsonl(lines: Iterable[tuple[int, bytes | None]]) -> Iterator[Line]:
    for number, raw in lines:
        if raw is None:
            yield _too_long(number)
        elif raw.strip():
            yield _of_json(number, raw)


def _of_json(number: int, raw: bytes) -> Line:
    try:
        record = msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Line(str(number), error=f"line {number}: {error}")
    try:
        identity = _one_of(record, "id", "_id")
        text = _one_of(record, "text", "query")
    except UsageError as error:
        return Line(str(number), error=f"line {number}: {error}")
    if text is not None:
        record["text"] = text
    if identity is None:
        identity = str(number)
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        return Line(str(number), error=f"line {number}: id is a text or a number, not {identity!r}")
    return Line(identity, record)


def _one_of(record: dict[str, Any], name: str, other: str) -> Any:
    """The value under one of two names, taken out."""
    if name in record and other in record:
        raise UsageError(f"{name!r} and {other!r} mean the same: leave one out")
    return record.pop(name, record.pop(other, None))


def _tsv(lines: Iterable[tuple[int, bytes | None]]) -> Iterator[Line]:
    for number, raw in lines:
        if raw is None:
            yield _too_long(number)
        elif raw.strip():
            yield _of_tsv(number, raw)


def _of_tsv(number: int, raw: bytes) -> Line:
    try:
        identity, tab, text = raw.decode().rstrip("\r\n").partition("\t")
    except UnicodeDecodeError as error:
        return Line(str(number), error=f"line {number} is not UTF-8: {error.reason}")
    if not tab:
        return Line(str(number), error=f"line {number}: write ID<TAB>TEXT; there is no tab")
    return Line(identity.strip() or str(number), {"text": text})


def _trec(lines: Iterable[tuple[int, bytes | None]]) -> Iterator[Line]:
    """A topic's title is the question, its description where it has none."""
    started, size = 0, 0
    block: list[str] = []
    for number, raw in lines:
        text = (raw or b"").decode("utf-8", "replace")
        if not started and _OPEN.search(text):
            started, size, block = number, 0, []
        if not started:
            continue
        size += LONGEST if raw is None else len(raw)
        if size < LONGEST:
            block.append(text)
        if _CLOSE.search(text):
            yield _topic(started, "".join(block)) if size < LONGEST else _too_long(started)
            started = 0
    if started:
        yield Line(str(started), error=f"the topic of line {started} does not end")


def _topic(number: int, block: str) -> Line:
    named = _NUMBER.search(block)
    identity = next((n for n in named.groups() if n), "") if named else ""
    texts = (found[1] for form in (_TITLE, _DESCRIPTION) if (found := form.search(block)))
    text = next((" ".join(t.split()) for t in texts if t.strip()), "")
    if not text:
        error = f"the topic of line {number} has neither title nor description"
        return Line(identity or str(number), error=error)
    return Line(identity or str(number), {"text": html.unescape(text)})


def _too_long(number: int) -> Line:
    return Line(str(number), error=f"line {number} is longer than {LONGEST:,} bytes")
