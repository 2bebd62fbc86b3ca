"""Names as the rules find them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A name at one place of a text."""

    start: int
    end: int
    name: str
    strength: float  # see `RawEntity.strength`
    type: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text."""

    start: int
    end: int
    text: str
    folded: str
