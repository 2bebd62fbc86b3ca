"""Numbers as documents write them, and what a group of them comes to."""

import math
import re
from collections.abc import Sequence

import msgspec

_SIGNS = re.compile(r"[-+]?\d[\d.,'\u2019 \u00a0\u202f]*")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:([.,'\u2019 \u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_ENDS = re.compile(r"[.,'\u2019\s]+\Z")
_BLANKS = re.compile(r"['\u2019\s]")


class Numbers(msgspec.Struct, frozen=True):
    """Of a group's values; those that are no numbers are not in it."""

    count: int
    sum: float
    min: float
    max: float
    mean: float
    median: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Numbers | None":
        """None for no values; the order of `values` does not change the sum."""
        if not values:
            return None
        total, count, rising = math.fsum(values), len(values), sorted(values)
        median = (rising[(count - 1) // 2] + rising[count // 2]) / 2
        return cls(count, total, rising[0], rising[-1], total / count, median)


def number(value: object, language: str = "") -> float | None:
    """A number, or one written in a text: ``1.234,50 €``, ``$1,234.50``, ``12 %``; else None.

    A single mark before three digits (``1.234``) parts thousands where `language` writes so ("es" the
    point, "en" the comma), and else decimals.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    found = _SIGNS.findall(value)
    if len(found) != 1 or re.search(r"\d-|[^\W\d_][-+]?\d|\d[^\W\d_]", value):
        return None  # none, several, or a code such as E-217, a date
    return _read(_ENDS.sub("", found[0]), language)


def _read(text: str, language: str) -> float | None:
    last = max(text.rfind("."), text.rfind(","))
    if last >= 0 and _is_decimal(text, last, language):
        whole, decimals = text[:last], text[last + 1 :]
    else:
        whole, decimals = text, ""
    if re.search(r"[.,' \u2019\u00a0\u202f]", whole) and not _GROUPED.fullmatch(whole):
        return None
    digits = re.sub(r"[.,]", "", _BLANKS.sub("", whole))
    if not decimals.isdecimal() and decimals:
        return None
    return float(f"{digits}.{decimals}" if decimals else digits)


def _is_decimal(text: str, last: int, language: str) -> bool:
    mark = text[last]
    if text.count(mark) > 1:
        return False
    other = "," if mark == "." else "."
    if other in text or len(text) - last - 1 != 3:
        return True
    return mark != {"es": ".", "en": ","}.get(language)
