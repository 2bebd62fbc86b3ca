"""JSON inside other text, or without its end."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_MOST = 64  # starts, or ends, that are tried


def candidates(text: str) -> Iterator[str]:
    """Pieces that may be the JSON meant, the likeliest first."""
    text = text.strip().removeprefix("\ufeff")
    yield text
    for fenced in _FENCE.finditer(text):
        yield fenced[1].strip()
    yield from _balanced(text)


def first_bracket(text: str) -> int | None:
    """Where an object or an array may begin."""
    places = [place for place in (text.find("{"), text.find("[")) if place >= 0]
    return min(places, default=None)


def closed(text: str) -> Iterator[str]:
    """Text that begins an object or array and was cut: ended after a whole part, latest first."""
    ends = [(place, stack) for place, stack, ends in _walk(text) if ends and stack]
    for place, stack in reversed(ends[-_MOST:]):
        yield text[:place] + "".join(_CLOSING[sign] for sign in reversed(stack))


def _balanced(text: str) -> Iterator[str]:
    """Whole objects and arrays, none inside another."""
    start, tried = 0, 0
    while tried < _MOST and (found := first_bracket(text[start:])) is not None:
        start, tried = start + found, tried + 1
        end = next((place for place, stack, _ in _walk(text[start:]) if not stack), None)
        if end is None:
            start += 1  # a bracket of the prose
            continue
        yield text[start : start + end]
        start += end


def _walk(text: str) -> Iterator[tuple[int, str, bool]]:
    """After each sign outside strings: the place, the open brackets, and whether a part ends there."""
    stack, inside, skip = "", False, False
    for place, sign in enumerate(text):
        if inside:
            inside, skip = skip or sign != '"', not skip and sign == "\\"
            continue
        if sign == '"':
            inside = True
        elif sign in "{[":
            stack += sign
        elif sign in "}]":
            if not stack or _CLOSING[stack[-1]] != sign:
                return
            stack = stack[:-1]
            yield place + 1, stack, True
        elif sign == ",":
            yield place, stack, True
