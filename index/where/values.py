"""Comparing a field's value with one that was written in a condition.

- Two numbers compare as numbers; a text that reads as a number is one next to a number.
- Two dates compare as days; a text ``2024-06-01`` is one, with or without a time behind it.
- Two texts compare without regard to case, composed (NFC); accents count.
- true and false equal themselves only.
- Values of different kinds are not equal, and none of them is the greater: that is unknown.
- A list does what any of its items does; it is unequal to what none of its items equals.
"""

import math
import operator
import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

from kb.dates import read_day

Value = str | int | float | bool | date
Truth = bool | None  # None: unknown
_NUMBER = re.compile(r"\s*[-+]?[0-9]{1,18}(?:\.[0-9]{1,18})?\s*")
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def any_of(truths: Iterable[Truth]) -> Truth:
    """True if one is; else unknown if one is; else false."""
    unknown = False
    for truth in truths:
        if truth:
            return True
        unknown = unknown or truth is None
    return None if unknown else False


def negated(truth: Truth) -> Truth:
    """What is unknown stays so."""
    return None if truth is None else not truth


def compare(found: object, sign: str, value: Value) -> Truth:
    """``found sign value`` with sign one of = != < <= > >=; see the top of this file."""
    if sign == "!=":
        return negated(compare(found, "=", value))
    if isinstance(found, list):
        return any_of(compare(item, sign, value) for item in found)
    return _one(found, sign, value)


def contains(found: object, value: Value) -> Truth:
    """A list has an item that equals `value`; a text has it somewhere in it."""
    if isinstance(found, list):
        return any_of(compare(item, "=", value) for item in found)
    if isinstance(found, str):
        return fold(str(value)) in fold(found)
    return compare(found, "=", value)


def fold(text: str) -> str:
    """As texts are compared."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _one(found: object, sign: str, value: Value) -> Truth:
    pair = _same_kind(found, value)
    if pair is None:
        return False if sign == "=" else None
    left, right = pair
    if sign == "=":
        return left == right
    return None if isinstance(left, bool) else _ORDER[sign](left, right)


def _same_kind(found: object, value: Value) -> tuple[object, object] | None:
    """Both as what they are compared as; None where they are of different kinds."""
    if isinstance(found, bool) or isinstance(value, bool):
        both = isinstance(found, bool) and isinstance(value, bool)
        return (found, value) if both else None
    if isinstance(value, int | float):
        number = _number(found)
        return None if number is None else (number, value)
    if isinstance(value, date):
        day = read_day(found)
        return None if day is None else (day, value)
    return _next_to_text(found, value)


def _next_to_text(found: object, value: str) -> tuple[object, object] | None:
    if isinstance(found, int | float):
        number = _number(value)
        return None if number is None else (found, number)
    if not isinstance(found, str):
        return None
    if value[:1].isdigit() and (day := read_day(value)) and (other := read_day(found)):
        return other, day
    return fold(found), fold(value)


def _number(value: object) -> int | float | None:
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        return float(value) if "." in value else int(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    return None
