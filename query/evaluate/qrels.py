"""Judgements from a file: JSON lines, JSON, TSV with or without a header, TREC qrels."""

import contextlib
import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kb.errors import UsageError
from query.evaluate.judgements import (
    Judgement,
    checked,
    read_judgement,
    read_relevant,
    whole_grade,
)

QUERY = ("query-id", "query_id", "qid", "query", "id", "_id")  # what a question's id is called
_COLUMNS = {
    **dict.fromkeys((*QUERY, "topic"), "query"),
    **dict.fromkeys(
        ("corpus-id", "corpus_id", "doc", "docid", "doc_id", "doc-id", "document"), "name"
    ),
    "path": "path",
    "chunk": "chunk",
    "start": "start",
    "end": "end",
    "quote": "quote",
    **dict.fromkeys(("score", "grade", "relevance", "rel", "label"), "grade"),
    **dict.fromkeys(("iteration", "iter", "0"), "iteration"),
}
_ITERATIONS = ("0", "q0")
Judged = dict[str, list[Judgement]]


def read_qrels(path: Path) -> Judged:
    """The judgements of a file by their question's id.

    JSON lines hold a judgement each (`judgements.read_judgement`, with ``query-id``) or all of a
    question (``{"query-id": …, "relevant": […]}``); a JSON object holds grades by question and name.
    Columns, by tabs or blanks, are ``query document [grade]``, ``query 0 document grade`` (TREC) or
    ``query path start end [grade]``; a header may name them otherwise.

    Raises:
        UsageError: it cannot be read; the message names the line.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    judged: Judged = {}
    first = text.lstrip()[:1]
    read = _of_json if first in ("{", "[") else _of_columns
    for number, query, judgement in read(path, text):
        if not query.strip():
            raise UsageError(f"{path}: line {number}: the question's id is empty")
        judged.setdefault(query, []).append(judgement)
    if not judged:
        raise UsageError(f"{path} holds no judgements")
    return judged


_Found = Iterator[tuple[int, str, Judgement]]


def _of_json(path: Path, text: str) -> _Found:
    if (whole := _whole(text)) is not None:
        for query, grades in whole.items():
            with _at(path, 1):
                found = read_relevant(grades)
            yield from ((1, query, judgement) for judgement in found)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        with _at(path, number):
            query, found = _of_record(line)
        yield from ((number, query, judgement) for judgement in found)


def _whole(text: str) -> Mapping[str, Any] | None:
    """A file that is one object of grades by question."""
    try:
        value = msgspec.json.decode(text.encode(), type=dict[str, Any])
    except msgspec.DecodeError:
        return None
    return value if all(isinstance(v, dict | list) for v in value.values()) else None


def _of_record(line: str) -> tuple[str, list[Judgement]]:
    try:
        record = msgspec.json.decode(line.encode(), type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise UsageError(str(error)) from error
    name = next((name for name in QUERY if name in record), None)
    if name is None:
        raise UsageError('write whose judgement it is: {"query-id": …}')
    query = str(record.pop(name))
    if "relevant" in record:
        return query, read_relevant(record["relevant"])
    return query, [read_judgement(record)]


def _of_columns(path: Path, text: str) -> _Found:
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    tabs = bool(lines) and "\t" in lines[0][1]
    header: list[str] | None = None
    for place, (number, line) in enumerate(lines):
        cells = (
            next(csv.reader([line], delimiter="\t", quoting=csv.QUOTE_NONE))
            if tabs
            else line.split()
        )
        cells = [cell.strip() for cell in cells]
        if place == 0 and (header := _header(cells)):
            continue
        with _at(path, number):
            query, judgement = _of_row(_named(header, cells) if header else _unnamed(cells))
        yield number, query, judgement


def _header(cells: list[str]) -> list[str] | None:
    known = [_COLUMNS.get(cell.lower(), "") for cell in cells]
    if len(known) >= 2 and known[0] == "query" and all(known) and cells[0] != "0":
        return known
    return None


def _named(header: list[str], cells: list[str]) -> dict[str, str]:
    if len(cells) > len(header) or len(cells) < 2:
        raise UsageError(f"{len(cells)} columns, and the header names {len(header)}")
    return {name: cell for name, cell in zip(header, cells, strict=False) if cell}


def _unnamed(cells: list[str]) -> dict[str, str]:
    count = len(cells)
    if count == 4 and cells[1].lower() in _ITERATIONS:
        return dict(zip(("query", "iteration", "name", "grade"), cells, strict=True))
    if count in (2, 3):
        return dict(zip(("query", "name", "grade"), cells, strict=False))
    if count in (4, 5):
        return dict(zip(("query", "path", "start", "end", "grade"), cells, strict=False))
    raise UsageError(
        f"{count} columns: write QUERY DOCUMENT GRADE, QUERY 0 DOCUMENT GRADE (TREC) "
        "or QUERY PATH START END GRADE"
    )


def _of_row(row: Mapping[str, str]) -> tuple[str, Judgement]:
    span = None
    if "start" in row or "end" in row:
        try:
            span = int(row.get("start", "")), int(row.get("end", ""))
        except ValueError:
            raise UsageError(
                f"a span's start and end are whole numbers, not {row.get('start', '')!r} "
                f"and {row.get('end', '')!r}"
            ) from None
    named = [name for name in ("name", "path", "chunk") if name in row]
    if len(named) != 1:
        raise UsageError("name one document or chunk")
    kind = {"name": "either", "path": "document", "chunk": "chunk"}[named[0]]
    judgement = Judgement(
        row[named[0]],
        kind,  # type: ignore[arg-type]
        span,
        whole_grade(row.get("grade", "1")),
        row.get("quote", ""),
    )
    return row.get("query", ""), checked(judgement)


@contextlib.contextmanager
def _at(path: Path, number: int) -> Iterator[None]:
    """Put file and line before what is wrong."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{path}: line {number}: {error}") from error
