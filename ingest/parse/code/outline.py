"""Where definitions seem to begin in code of any language, by the look of its lines."""

import re
from collections.abc import Iterator, Sequence

from ingest.parse.code.sections import Piece

MAX_LINE = 300  # characters of a line that are looked at
_WORDS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|async|open|"
    r"override|virtual|pub(?:\([a-z]+\))?|unsafe|extern|inline|partial|data|case|const|local|declare)\s+)*"
)
_DEFINITION = re.compile(
    rf"\s*(?:#\[.*\]\s*)?{_WORDS}"
    r"(?:class|interface|struct|enum|trait|impl(?:<[^>]*>)?|module|namespace|object|record|protocol|"
    r"extension|union|type|func(?:tion)?\*?|fn|def|defp|defmodule|sub|proc|procedure|package|contract|"
    r"macro_rules!|message|service|rule|resource)"
    r"\s+(?:\([^)]*\)\s*)?[\"']?([A-Za-z_$][\w$.:]*)",
)
_SQL = re.compile(
    r"\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|materialized\s+)*"
    r"(?:table|view|function|procedure|trigger|index|type|schema)\s+(?:if\s+not\s+exists\s+)?"
    r"[\"`\[]?([\w.$]+)",
    re.I,
)
_TYPED = re.compile(  # C, Java, C#: a type, a name, parameters, and a body that opens
    r"\s*(?!(?:if|for|while|switch|return|else|catch|do|new|throw|case|await|yield|using|lock)\b)"
    r"(?:[A-Za-z_][\w:<>,\[\]*&~?.]*\s+[*&]*)+([A-Za-z_~][\w:~]*)\s*\([^;{}]*\)?[^;{}=]*\{?\s*$"
)
_BARE = re.compile(  # name() { in shells, methods of JavaScript classes
    r"\s*(?!(?:if|for|while|switch|return|catch|with|function)\b)(?:async\s+|static\s+|get\s+|set\s+|\*\s*)*"
    r"([A-Za-z_$][\w$-]*)\s*\([^;{}]*\)\s*(?::\s*[\w<>\[\]| .]+)?\{\s*$"
)
_ARROW = re.compile(
    r"\s*(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*(?::[^=]+)?=\s*"
    r"(?:async\s+)?(?:function\b|\(?[\w\s,{}:.$\[\]]*\)?\s*=>)"
)
_ASSIGNED = re.compile(r"\s*([A-Za-z_.][\w.]*)\s*(?:<-|=)\s*function\s*\(")
_COMMENT = re.compile(
    r"\s*(?://|/\*|\*|#(?!include|define|if|end|else|pragma)|--|;|%|\"\"\"|@\w|\[)"
)
_PATTERNS = (_DEFINITION, _SQL, _ARROW, _ASSIGNED, _BARE, _TYPED)


def outline(rows: Sequence[str]) -> Iterator[Piece]:
    """The blocks between blank lines, each below the definitions that its indentation puts it in.

    A definition begins a block, with the comments and annotations right above it.
    """
    open_: list[tuple[int, str]] = []  # indentation and name
    begin = 0
    path: tuple[str, ...] = ()
    opens = False
    for at, row in enumerate(rows):
        name = defined(row)
        after_blank = at > 0 and not rows[at - 1].strip() and bool(row.strip())
        if not name and not after_blank:
            continue
        indent = _indent(row)
        start = _above(rows, at, begin) if name else at
        if start > begin:
            yield Piece(begin, start, path, opens)
            begin = start
            opens = False
        open_ = [(depth, title) for depth, title in open_ if depth < indent]
        if name:
            open_.append((indent, name))
            opens = True
        path = tuple(title for _, title in open_)
        if opens:
            yield Piece(begin, at + 1, path, opens=True)
            begin = at + 1
            opens = False
    if begin < len(rows):
        yield Piece(begin, len(rows), path, opens)


def defined(row: str) -> str:
    """The name of what a line defines, ``""`` where it seems to define nothing."""
    line = row[:MAX_LINE]
    if _COMMENT.match(line):
        return ""
    for pattern in _PATTERNS:
        if match := pattern.match(line):
            return match[1]
    return ""


def _above(rows: Sequence[str], at: int, floor: int) -> int:
    """The first of the comment lines right above line `at`."""
    while at > floor and _COMMENT.match(rows[at - 1][:MAX_LINE]):
        at -= 1
    return at


def _indent(row: str) -> int:
    expanded = row.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())
