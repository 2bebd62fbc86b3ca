"""Plain text: paragraphs are what blank lines part."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import ClassVar

from ingest import language
from ingest.parse.decode import decode
from ingest.parse.source_lines import each_line
from ingest.parse.titles import title_from_name
from kb.records import Document, Element, ElementKind
from kb.settings import ParseSettings

_BULLET = re.compile(r"\s*(?:[-*+•‣–]|\(?\d{1,3}[.)]|[a-z][.)])\s+\S")
_CODE_LINE = re.compile(
    r".*[;{}]\s*$"
    r"|\s*(?:def|class|import|from|return|func|fn|let|const|var|public|private|static|#include|package|"
    r"use|if|for|while|else|elif|try|except|end|local|export|async)\b.*[:({;=)\w]\s*$"
    r"|\s*(?://|/\*|\*/|@\w|\w[\w.\[\]]*\s*[-+*/|]?=\s*\S|\w[\w.]*\(.*\)\s*,?$|[)\]}]+,?$)"
)


_STAMP = re.compile(  # how an entry of a log or a chat begins: date and time, or time to the second
    r"(?:\S{3,45} \S+ \S+ )?[\[(]?"
    r"(?:(?:\d{4}[-/.]\d{2}[-/.]\d{2}|\d{1,2}[-/.][\dA-Za-z]{2,3}[-/.]\d{2,4}|"
    r"(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d)[ T,:]{1,3}\d{1,2}:\d{2}|\d{2}:\d{2}:\d{2})"
)


class TextParser:
    """Any text file; ``Document.text`` is the decoded file: a span in it is one in the file.

    A file whose lines are mostly code gives ``code`` elements, and a log an element an entry; the kind
    of a block never depends on the file's name.
    """

    version: ClassVar[int] = 2

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        document, elements = self.begin(data, name)
        return replace(document, elements=tuple(elements))

    def begin(self, data: bytes, name: str) -> tuple[Document, Iterator[Element]]:
        """See `ingest.parse.base.Piecemeal.begin`. Never raises."""
        text = decode(data)
        document = Document(
            text=text,
            elements=(),
            title=title_from_name(name),
            language=language.detect(text),
            warnings=("no text in it",) if not text or text.isspace() else (),
        )
        return document, _elements(text)


def _elements(text: str) -> Iterator[Element]:
    """What blank lines part, without blank edges; code keeps the indentation of its first line."""
    log = looks_like_log(line for _, line in each_line(text))
    code = not log and looks_like_code(line.rstrip("\r\n") for _, line in each_line(text))
    kind: ElementKind | None = None
    start = end = 0
    for at, line in chain(each_line(text), [(len(text), "")]):
        body = line.rstrip()
        if kind is not None and (not body or (log and _STAMP.match(body))):
            yield Element(kind, start, end)
            kind = None
        if body:
            if kind is None:
                kind = "code" if code else _kind(body)
                start = at if code else at + len(body) - len(body.lstrip())
            end = at + len(body)


def _kind(first_line: str) -> ElementKind:
    return "list" if _BULLET.match(first_line) else "paragraph"


def looks_like_code(lines: Iterable[str]) -> bool:
    """Whether more than half of the first 400 lines that are not blank look like source code."""
    sample = list(islice((line[:300] for line in lines if line.strip()), 400))
    hits = sum(_CODE_LINE.match(line) is not None for line in sample)
    return len(sample) >= 3 and hits > len(sample) / 2


def looks_like_log(lines: Iterable[str]) -> bool:
    """Whether half of the first 200 lines that are not blank begin with a date or time."""
    sample = list(islice((line[:60] for line in lines if line.strip()), 200))
    return len(sample) >= 3 and sum(map(bool, map(_STAMP.match, sample))) * 2 >= len(sample)
