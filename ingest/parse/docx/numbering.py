"""The numbers that Word puts before headings and list items; they stand nowhere in the text."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.parse.xml_tree import attr, below, child, local, number

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

BULLET = "-"
_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


@dataclass(frozen=True, slots=True)
class _Level:
    form: str = "bullet"
    pattern: str = ""
    start: int = 1


@dataclass(slots=True)
class _List:
    levels: dict[int, _Level]
    counts: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


class Numbering:
    """Counts along as the paragraphs go by, in order."""

    def __init__(self, root: "Node | None") -> None:
        nodes = list(root) if root is not None else []
        abstract = {
            attr(node, "abstractNumId"): _List(_read_levels(node))
            for node in nodes
            if local(node) == "abstractNum"
        }
        self._lists: dict[str, _List] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        for node in nodes:
            if local(node) == "num":
                name = attr(node, "numId")
                counted = abstract.get(attr(child(node, "abstractNumId"), "val"))
                if counted is not None:
                    self._lists[name] = counted  # lists of one abstract go on from each other
                    self._restarts[name] = _read_restarts(node)

    def label(self, list_id: str, level: int) -> str:
        """What stands before the next item: ``-``, ``3.``, ``2.1`` or ``b)``."""
        level = min(max(level, 0), _LEVELS - 1)
        counted = self._lists.get(list_id)
        shape = counted.levels.get(level) if counted is not None else None
        if counted is None or shape is None:
            return BULLET
        self._count(list_id, counted, level)
        if shape.form == "none":
            return ""
        if shape.form == "bullet" or not _PLACE.search(shape.pattern):
            return BULLET
        return _PLACE.sub(lambda m: _written(counted, int(m.group(1)) - 1), shape.pattern).strip()

    def _count(self, list_id: str, counted: _List, level: int) -> None:
        restart = self._restarts.get(list_id, {}).pop(level, None)
        before = counted.counts[level]
        if restart is not None:
            counted.counts[level] = restart
        elif before is None:
            counted.counts[level] = counted.levels[level].start
        else:
            counted.counts[level] = before + 1
        counted.counts[level + 1 :] = [None] * (_LEVELS - level - 1)


def _read_levels(node: "Node") -> dict[int, _Level]:
    return {
        number(attr(level, "ilvl")): _Level(
            attr(child(level, "numFmt"), "val") or "decimal",
            attr(child(level, "lvlText"), "val"),
            number(attr(child(level, "start"), "val"), 1),
        )
        for level in below(node, "lvl")
    }


def _read_restarts(node: "Node") -> dict[int, int]:
    return {
        number(attr(override, "ilvl")): number(attr(start, "val"), 1)
        for override in below(node, "lvlOverride")
        if (start := child(override, "startOverride")) is not None
    }


def _written(counted: _List, level: int) -> str:
    shape = counted.levels.get(level, _Level())
    count = counted.counts[level]
    value = shape.start if count is None else count
    if shape.form in ("lowerLetter", "upperLetter"):
        letters = chr(97 + (value - 1) % 26) * ((value - 1) // 26 % 8 + 1)
        return letters if shape.form == "lowerLetter" else letters.upper()
    if shape.form in ("lowerRoman", "upperRoman"):
        roman = _roman(value)
        return roman if shape.form == "lowerRoman" else roman.upper()
    if shape.form == "decimalZero":
        return f"{value:02d}"
    return str(value)


def _roman(value: int) -> str:
    if not 0 < value < 4000:
        return str(value)
    letters = ""
    for worth, letter in _ROMAN:
        times, value = divmod(value, worth)
        letters += letter * times
    return letters
