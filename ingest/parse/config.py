"""Settings files (YAML, TOML, INI, properties): the file as it stands, cut at its sections."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ingest import language
from ingest.parse.decode import decode
from ingest.parse.source_lines import Block, SourceLines
from ingest.parse.titles import first_title
from kb.records import Document
from kb.settings import ParseSettings

MIN_INNER = 8  # lines that a key of the second level holds to be a section of its own
_SECTION = re.compile(r"\s*\[{1,2}\s*([^\[\]#;]+?)\s*\]{1,2}\s*(?:[#;].*)?$")
_KEY = re.compile(
    r" *(?:\"([^\"]+)\"|'([^']+)'|([^\s#\"'\[{&*!|>%@`-][^#:]*)):(?:\s+([^#\s].*)|\s*(?:#.*)?)$"
)
_SCALAR = re.compile(r"( *)(?:- )?[^#]*?:?\s*[|>][+-]?\d?\s*(?:#.*)?$")
_COMMENT = re.compile(r"\s*[#;]")
_TITLE = re.compile(r"(?m)^title\s*[:=]\s*[\"']?([^\"'\r\n#]+)")


class ConfigParser:
    """``Document.text`` is the decoded file. ``[sections]`` and YAML's outer keys are headings.

    Comments right above a heading belong to it.
    """

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`. Never raises."""
        text = decode(data)
        lines = SourceLines.of(text)
        rows = lines.all()
        sections = any(_SECTION.match(row) for row in rows)
        blocks = list(_ini(rows) if sections else _yaml(rows))
        elements = lines.elements(blocks)
        title = _TITLE.search(text[:20_000])
        return Document(
            text=text,
            elements=elements,
            title=first_title([title[1] if title else ""], name),
            language=language.detect(text),
            warnings=() if elements else ("no text in it",),
        )


def _ini(rows: Sequence[str]) -> Iterator[Block]:
    headings = {at: (1, match[1]) for at, row in enumerate(rows) if (match := _SECTION.match(row))}
    yield from _cut(rows, headings)


def _yaml(rows: Sequence[str]) -> Iterator[Block]:
    """Keys without a value of their own open sections: the outermost, and large ones in them.

    After such a key every key of its level opens one, so that each section ends.
    """
    headings: dict[int, tuple[int, str]] = {}
    inner = -1  # the indent of the second level, -1 before it is known
    parted = False  # whether the section in hand has sections inside
    for at, indent, key, value in _keys(rows):
        if indent == 0:
            inner, parted = -1, False
            if headings or not value:
                headings[at] = (1, key)
        elif headings and inner in (-1, indent):
            inner = indent
            if parted or (not value and _length(rows, at, indent) >= MIN_INNER):
                parted = True
                headings[at] = (2, key)
    yield from _cut(rows, headings)


def _keys(rows: Sequence[str]) -> Iterator[tuple[int, int, str, str]]:
    """Line, indent, name and value of each key; what looks like keys in a block of text is none."""
    scalar: int | None = None  # the indent of a key whose value is a block of text
    for at, row in enumerate(rows):
        indent = len(row) - len(row.lstrip(" "))
        if not row.strip() or (scalar is not None and indent > scalar):
            continue
        scalar = indent if _SCALAR.match(row) else None
        if match := _KEY.match(row):
            key = match[1] or match[2] or match[3]
            yield at, indent, " ".join(key.split()), match[4] or ""


def _length(rows: Sequence[str], at: int, indent: int) -> int:
    """How many lines hang below line `at`, as far as `MIN_INNER`."""
    below = rows[at + 1 : at + 1 + MIN_INNER]
    for number, row in enumerate(below):
        if row.strip() and len(row) - len(row.lstrip(" ")) <= indent:
            return number
    return len(below)


def _cut(rows: Sequence[str], headings: dict[int, tuple[int, str]]) -> Iterator[Block]:
    """Heading lines with the comments above them, and blocks between blank lines."""
    begin = 0
    for at in range(len(rows) + 1):
        ends = at == len(rows) or at in headings
        if not ends and (rows[at].strip() or not _next_is_outer(rows, at)):
            continue
        first = _above(rows, at, begin) if at in headings else at
        if first > begin:
            yield Block("code", begin, first)
        begin = first
        if at in headings:
            level, title = headings[at]
            yield Block("heading", first, at + 1, level, title)
            begin = at + 1


def _above(rows: Sequence[str], at: int, floor: int) -> int:
    while at > floor and _COMMENT.match(rows[at - 1]):
        at -= 1
    return at


def _next_is_outer(rows: Sequence[str], at: int) -> bool:
    """Whether the line after a blank one is not indented, so that the blank line parts blocks."""
    return at + 1 < len(rows) and rows[at + 1][:1] not in (" ", "\t", "")
