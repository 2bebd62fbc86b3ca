"""Context from the document itself: title, heading path, date, version, table header, key terms."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import ClassVar

from ingest.contextualize.key_terms import KeyTerms
from ingest.parse.table.header import header_of
from kb.models.embedder import Tokenizer
from kb.records import Chunk, Document, Element
from kb.settings import ContextSettings

_DATED = ("version", "date", "valid_from")  # metadata keys, in the order they are written
_TABLE_BEGINNING = 4000  # characters in which the header is looked for
_MARKUP = re.compile(r"[\W_]+")


class StructuralContext:
    """``Title > H1 > H2 (version 2, date 2024-05-01) [term, term]``, without what the chunk begins with.

    The terms are what the document often says and the chunk does not. A chunk that begins within a
    table has the table's header before them: ``Title > H1: a | b | c``.
    """

    version: ClassVar[int] = 3
    needs_llm: ClassVar[bool] = False

    def __init__(self, settings: ContextSettings, tokenizer: Tokenizer) -> None:
        self._most = settings.max_tokens
        self._tokenizer = tokenizer

    def contexts(self, document: Document, chunks: Sequence[Chunk]) -> list[str]:
        """One prefix a chunk, at most ``max_tokens`` tokens.

        What does not fit is left out: key terms first, then the outermost titles. A header that does
        not fit beside the innermost title is left out, too.
        """
        if not self._most:
            return [""] * len(chunks)
        tables, key_terms = _Tables(document), KeyTerms(document.text)
        dated = _dated(document)
        headings = [element for element in document.elements if element.kind == "heading"]
        starts = [element.start for element in headings]
        memo: dict[tuple[tuple[str, ...], str], str] = {}
        out: list[str] = []
        for chunk in chunks:
            own = _leading(islice(headings, bisect_left(starts, chunk.start), None), chunk)
            path, header = tuple(_path(document.title, chunk, own)), tables.header(chunk)
            key = (path, header)
            if key not in memo:
                memo[key] = self._fit_header(list(path), dated, header)
            out.append(self._with_terms(memo[key], key_terms.lacking(chunk, memo[key])))
        return out

    def _with_terms(self, line: str, terms: list[str]) -> str:
        """`line` and as many of the first `terms` as fit."""
        while terms:
            whole = f"{line} [{', '.join(terms)}]".lstrip()
            if self._fits(whole):
                return whole
            terms = terms[:-1]
        return line

    def _fit_header(self, path: list[str], dated: str, header: str) -> str:
        """`path` and `dated` shortened until `header` stands after them, or without it."""
        shorter, when = path, dated
        while header:
            line = _line(shorter, when)
            whole = f"{line}: {header}" if line else header
            if self._fits(whole):
                return whole
            if len(shorter) > 1:
                shorter = shorter[1:]
            elif when:
                when = ""
            else:
                break
        return self._fit(path, dated)

    def _fit(self, path: list[str], dated: str) -> str:
        """`path` and `dated`, shortened from the left until they fit."""
        while len(path) > 1 and not self._fits(_line(path, dated)):
            path = path[1:]
        line = _line(path, dated)
        if self._fits(line):
            return line
        words = _line(path, "").split()
        low, high = 0, len(words)  # the fewest words to drop: more words never count fewer tokens
        while low < high:
            middle = (low + high) // 2
            if self._fits(" ".join(words[middle:])):
                high = middle
            else:
                low = middle + 1
        return " ".join(words[low:])

    def _fits(self, line: str) -> bool:
        return self._tokenizer.count(line) <= self._most


class _Tables:
    """The headers of a document's tables, read when a chunk needs one."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._tables = [element for element in document.elements if element.kind == "table"]
        self._starts = [element.start for element in self._tables]
        self._headers: dict[int, str] = {}

    def header(self, chunk: Chunk) -> str:
        """The header of the table that a chunk begins within, "" where it begins elsewhere."""
        at = bisect_left(self._starts, chunk.start) - 1
        if at < 0 or self._tables[at].end <= chunk.start:
            return ""
        if at not in self._headers:
            table = self._tables[at]
            beginning = self._text[table.start : min(table.end, table.start + _TABLE_BEGINNING)]
            self._headers[at] = header_of(beginning)
        return self._headers[at]


def _line(path: list[str], dated: str) -> str:
    titles = " > ".join(path)
    if titles and dated:
        return f"{titles} ({dated})"
    return titles or dated


def _dated(document: Document) -> str:
    found = ((key, document.metadata.get(key)) for key in _DATED)
    return ", ".join(
        f"{key.replace('_', ' ')} {_one_line(str(value))}"
        for key, value in found
        if value is not None and str(value).strip()
    )


def _path(title: str, chunk: Chunk, own: set[str]) -> list[str]:
    """Title and headings from the outside in, without repeats and without `own`."""
    path: list[str] = []
    for part in (title, *chunk.heading):
        line = _one_line(part)
        if (
            _plain(line)
            and _plain(line) not in own
            and (not path or _plain(path[-1]) != _plain(line))
        ):
            path.append(line)
    return path


def _leading(headings: Iterable[Element], chunk: Chunk) -> set[str]:
    """The titles that the chunk begins with, plain."""
    own: set[str] = set()
    at = 0
    for element in headings:
        if element.start >= chunk.end or chunk.text[at : element.start - chunk.start].strip():
            break
        at = element.end - chunk.start
        written = _plain(chunk.text[element.start - chunk.start : at])
        own.add(written)
        if element.heading and _plain(element.heading[-1]):
            own.add(_plain(element.heading[-1]))
    return own


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Letters and digits only, for comparing a title with its source."""
    return _MARKUP.sub(" ", text).strip().casefold()
