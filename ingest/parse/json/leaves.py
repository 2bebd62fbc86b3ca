"""Reads JSON leaf by leaf, without recursion, so that depth, size and damage at the end do no harm."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from json import JSONDecodeError, JSONDecoder
from typing import NamedTuple

Path = tuple[str | int, ...]
_BLANKS = frozenset(" \t\r\n\ufeff/")
_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*(?:(?!\*/).)*\*/)*+", re.S)
_ATOM = re.compile(r"-?\d[\d.eE+\-]*|-?[A-Za-z]+")
_ATOMS = frozenset(("true", "false", "null", "NaN", "nan", "Infinity", "-Infinity", "None"))
_STRINGS = JSONDecoder(strict=False)  # it also takes line breaks inside strings
_NULLS = frozenset(("null", "None"))
MAX_DEPTH = 100  # of a path; what lies deeper keeps the path of this depth


class BadJson(Exception):
    """The text stops being JSON at the offset that is the argument."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Leaf(NamedTuple):
    """A value that is no container; "" stands for null and for an empty container."""

    path: Path
    value: str  # a number is as written
    start: int
    end: int


@dataclass(slots=True)
class _Frame:
    """A container that is open."""

    is_object: bool
    count: int = 0
    key: str = ""
    path: Path = field(default=())


def leaves(text: str, start: int = 0) -> Iterator[Leaf]:
    """The leaves of one JSON value at `start`, in order; ends with a `Leaf` at the value's own end.

    Comments and trailing commas are tolerated. The last leaf has the path ``()`` and no value unless
    the whole value is a leaf itself.

    Raises:
        BadJson: the text is not JSON from there on; what was good before has been given.
    """
    open_: list[_Frame] = []
    at = _blank(text, start)
    while True:
        at = _blank(text, at)
        if open_ and text.startswith("}" if open_[-1].is_object else "]", at):
            at += 1
            frame = open_.pop()
            if not frame.count:
                yield Leaf(frame.path, "", at, at)
        else:
            at, leaf = _value(text, at, open_)
            if leaf is not None:
                yield leaf
            elif at:
                continue
        if not open_:
            yield Leaf((), "", at, at)
            return
        at = _after(text, at, open_[-1])


def _value(text: str, at: int, open_: list[_Frame]) -> tuple[int, Leaf | None]:
    """The value at `at`: a leaf, or None where a container was opened."""
    path: Path = ()
    if open_:
        frame = open_[-1]
        if frame.is_object:
            at = _key(text, at, frame)
        frame.count += 1
        step = frame.key if frame.is_object else frame.count - 1
        path = (*frame.path, step) if len(frame.path) < MAX_DEPTH else frame.path
    first = text[at : at + 1]
    if first in ("{", "["):
        open_.append(_Frame(first == "{", path=path))
        return at + 1, None
    if first == '"':
        value, end = _string(text, at)
        return end, Leaf(path, value, at, end)
    match = _ATOM.match(text, at)
    if match is None or not (match[0][-1:].isdigit() or match[0] in _ATOMS):
        raise BadJson(at)
    value = "" if match[0] in _NULLS else match[0]
    return match.end(), Leaf(path, value, at, match.end())


def _key(text: str, at: int, frame: _Frame) -> int:
    if not text.startswith('"', at):
        raise BadJson(at)
    frame.key, end = _string(text, at)
    colon = _blank(text, end)
    if not text.startswith(":", colon):
        raise BadJson(colon)
    return _blank(text, colon + 1)


def _after(text: str, at: int, frame: _Frame) -> int:
    """Over the comma after a member, or up to the bracket that closes the container."""
    at = _blank(text, at)
    if text.startswith(",", at):
        return at + 1
    if text.startswith("}" if frame.is_object else "]", at):
        return at
    raise BadJson(at)


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = _STRINGS.raw_decode(text, at)
    except JSONDecodeError as error:
        raise BadJson(at) from error
    return str(value), end


def _blank(text: str, at: int) -> int:
    if text[at : at + 1] not in _BLANKS:
        return at
    match = _BLANK.match(text, at)
    return match.end() if match else at
