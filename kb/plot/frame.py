"""The sheet of a chart: title, axes with ticks, legend."""

from collections.abc import Sequence

from kb.plot.drawing import Drawing, Shape, Text
from kb.plot.scale import Axis, Scale, fit, tick_label
from kb.plot.style import bar, colour, dash, marker

_WIDTH = 760
_TOP = 44
_INNER_HEIGHT = 360
_ROOM_LEFT = 74
_ROOM_RIGHT = 24
_ROOM_BELOW = 56
_LEGEND_ROW = 20
_GRID = "#dddddd"


class Frame:
    """A drawing with room for a chart: `left`, `right`, `top`, `bottom` bound its inner part."""

    def __init__(
        self,
        title: str,
        names: Sequence[str],
        *,
        joined: bool = False,
        as_bars: bool = False,
        room_left: float = _ROOM_LEFT,
        inner_height: float = _INNER_HEIGHT,
    ) -> None:
        """`names` are the legend's, of series in order; none for no legend."""
        self.left, self.right = max(room_left, _ROOM_LEFT), float(_WIDTH - _ROOM_RIGHT)
        entries, legend_rows = _legend_places(names, self.left, self.right)
        self.top = float(_TOP + legend_rows * _LEGEND_ROW)
        self.bottom = self.top + inner_height
        self.drawing = Drawing(_WIDTH, round(self.bottom + _ROOM_BELOW), title)
        self.add(Text((self.left, 24), title, 15))
        for index, (x, row) in enumerate(entries):
            self._entry(index, names[index], x, _TOP + row * _LEGEND_ROW, joined, as_bars)
        self._outline()

    def add(self, *items: Shape | Text) -> None:
        """Draw over what is there."""
        self.drawing.items.extend(items)

    def bottom_axis(self, axis: Axis, values: Sequence[float]) -> Scale:
        """Draw the axis along the bottom; returns where its values are."""
        scale = fit(axis, values, self.left, self.right)
        for value in scale.ticks():
            x = scale(value)
            self.add(Shape([(x, self.top), (x, self.bottom)], _GRID, 0.8))
            self.add(Text((x, self.bottom + 18), tick_label(value), 12, "middle"))
        middle = (self.left + self.right) / 2
        self.add(Text((middle, self.bottom + 42), axis.label, 13, "middle"))
        self._outline()
        return scale

    def left_axis(self, axis: Axis, values: Sequence[float]) -> Scale:
        """Draw the axis along the left side; returns where its values are."""
        scale = fit(axis, values, self.bottom, self.top)
        for value in scale.ticks():
            y = scale(value)
            self.add(Shape([(self.left, y), (self.right, y)], _GRID, 0.8))
            self.add(Text((self.left - 8, y + 4), tick_label(value), 12, "end"))
        middle = (self.top + self.bottom) / 2
        self.add(Text((20, middle), axis.label, 13, "middle", turned=True))
        self._outline()
        return scale

    def _outline(self) -> None:
        corners = [(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)]
        self.add(Shape(corners, "#000000", 1.2))

    def _entry(
        self, index: int, name: str, x: float, y: float, joined: bool, as_bars: bool
    ) -> None:
        if as_bars:
            self.add(*bar(index, x, y - 7, x + 24, y + 5))
        else:
            if joined:
                self.add(Shape([(x, y), (x + 24, y)], colour(index), 1.8, dash(index)))
            self.add(*marker(index, (x + 12, y), 4.5))
        self.add(Text((x + 30, y + 4), name, 12))


def _legend_places(
    names: Sequence[str], left: float, right: float
) -> tuple[list[tuple[float, int]], int]:
    """Where each entry starts, and in which row; and how many rows there are."""
    x, row, places = left, 0, []
    for name in names:
        wide = 30 + Text((0, 0), name).width + 18
        if x > left and x + wide > right:
            x, row = left, row + 1
        places.append((x, row))
        x += wide
    return places, row + 1 if names else 0
