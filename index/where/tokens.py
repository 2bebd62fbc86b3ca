"""Cuts a condition into tokens, each with its column."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from index.where.values import Value
from kb.dates import read_day
from kb.errors import UsageError

Kind = Literal["name", "value", "sign", "end"]
KEYWORDS = {"and", "or", "not", "in", "contains", "exists", "true", "false"}
_TOKENS = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?![\w.-])
    | (?P<number>[-+]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18}))(?![\w.])
    | (?P<quoted>`[^`]+`)
    | (?P<name>[^\W\d][\w-]*(?:\.[\w-]+)*)
    | (?P<sign><=|>=|!=|[=<>(),])
    )""",
    re.X | re.S,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a condition; columns count characters from 1."""

    kind: Kind
    text: str  # as written; of a keyword and a sign, what it is
    column: int
    value: Value = ""
    keyword: bool = False


def wrong(source: str, column: int, message: str) -> UsageError:
    """The error of a condition, with a mark under the place."""
    line = " ".join(source.split("\n"))
    return UsageError(f"--where: column {column}: {message}\n  {line}\n  {' ' * (column - 1)}^")


def tokens(source: str) -> list[Token]:
    """The tokens of `source`, an ``end`` last.

    Raises:
        UsageError: a sign that has no place in conditions.
    """
    found: list[Token] = []
    at = 0
    length = len(source.rstrip())
    while at < length:
        match = _TOKENS.match(source, at)
        if match is None or match.lastgroup is None:
            raise _unreadable(source, at)
        found.append(_token(match.lastgroup, source, match))
        at = match.end()
    found.append(Token("end", "", length + 1))
    return found


def _token(group: str, source: str, match: re.Match[str]) -> Token:
    text = match[group]
    column = match.start(group) + 1
    if group == "sign":
        return Token("sign", text, column)
    if group == "quoted":
        return Token("name", text[1:-1], column)
    if group == "name":
        keyword = text.lower() if text.lower() in KEYWORDS else ""
        if keyword in ("true", "false"):
            return Token("value", text, column, keyword == "true")
        return Token("name", keyword or text, column, keyword=bool(keyword))
    return Token("value", text, column, _value(group, text, source, column))


def _value(group: str, text: str, source: str, column: int) -> Value:
    if group == "text":
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.S)
    if group == "date":
        day: date | None = read_day(text)
        if day is None:
            raise wrong(source, column, f"there is no day {text}")
        return day
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


def _unreadable(source: str, at: int) -> UsageError:
    while source[at].isspace():
        at += 1
    sign = source[at]
    hints = {
        '"': "this text is never closed",
        "'": "this text is never closed",
        "`": "this name is never closed",
        "!": "write != or not",
        "&": "write and",
        "|": "write or",
    }
    return wrong(source, at + 1, hints.get(sign, f"{sign!r} has no place here"))
