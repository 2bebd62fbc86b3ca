"""What a chart is drawn with: paths and texts on a sheet. Points are pixels from the top left."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
_WIDE = 0.56  # of its size, that a letter takes on average


@dataclass(frozen=True, slots=True)
class Shape:
    """A line through points, or a shape where `closed`."""

    points: Sequence[Point]
    stroke: str = "#000000"  # "": none
    width: float = 1.0
    dash: tuple[float, ...] = ()  # lengths on and off, in turn
    closed: bool = False
    fill: str = ""  # "": none


@dataclass(frozen=True, slots=True)
class Text:
    """A line of words; `at` is its start, middle or end, on the base line."""

    at: Point
    text: str
    size: float = 12.0
    anchor: Anchor = "start"
    turned: bool = False  # upwards, by a quarter

    @property
    def width(self) -> float:
        """About how wide it is, without its font at hand."""
        return len(self.text) * self.size * _WIDE


@dataclass(slots=True)
class Drawing:
    """A white sheet; later items lie over earlier ones."""

    width: int
    height: int
    title: str = ""
    items: list[Shape | Text] = field(default_factory=list)
