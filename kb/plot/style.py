"""How series are told apart: shape, dash and shade first, colour (safe for colour-blind eyes) second."""

import math
from collections.abc import Sequence

from kb.plot.drawing import Point, Shape

# Okabe and Ito (2008), in an order whose shades of grey differ from neighbour to neighbour.
COLOURS = ("#000000", "#d55e00", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9")
DASHES: tuple[tuple[float, ...], ...] = ((), (7, 4), (2, 3), (9, 3, 2, 3), (12, 4), (4, 2))
_SHAPES = ("circle", "square", "triangle", "diamond", "cross", "plus", "wedge", "hexagon")
_HATCHES = (None, 0, -1, 1, 2)  # slope of a bar's stripes; None: full, 0: empty, 2: both ways


def colour(index: int) -> str:
    """Of a series."""
    return COLOURS[index % len(COLOURS)]


def dash(index: int) -> tuple[float, ...]:
    """Of a series' line."""
    return DASHES[index % len(DASHES)]


def marker(index: int, at: Point, size: float = 5.0) -> list[Shape]:
    """A series' mark on a point: full shapes first, then the same ones empty."""
    x, y = at
    shape, empty = _SHAPES[index % len(_SHAPES)], (index // len(_SHAPES)) % 2 == 1
    ink = colour(index)
    if shape in ("cross", "plus"):
        turn = math.pi / 4 if shape == "cross" else 0.0
        arms = [(math.cos(turn + a) * size, math.sin(turn + a) * size) for a in (0, math.pi / 2)]
        return [Shape([(x - dx, y - dy), (x + dx, y + dy)], ink, 2.0) for dx, dy in arms]
    points = [(x + dx, y + dy) for dx, dy in _corners(shape, size)]
    return [Shape(points, ink, 1.4, closed=True, fill="#ffffff" if empty else ink)]


def _corners(shape: str, size: float) -> list[Point]:
    corners, turn = {
        "circle": (24, 0.0),
        "square": (4, math.pi / 4),
        "triangle": (3, -math.pi / 2),
        "diamond": (4, 0.0),
        "wedge": (3, math.pi / 2),
        "hexagon": (6, 0.0),
    }[shape]
    angles = [turn + 2 * math.pi * i / corners for i in range(corners)]
    larger = size * (1.25 if corners < 6 else 1.0)
    return [(math.cos(a) * larger, math.sin(a) * larger) for a in angles]


def bar(index: int, left: float, top: float, right: float, bottom: float) -> list[Shape]:
    """A bar, filled or striped as its series is."""
    ink, hatch = colour(index), _HATCHES[index % len(_HATCHES)]
    box = [(left, top), (right, top), (right, bottom), (left, bottom)]
    outline = Shape(box, ink, 1.2, closed=True, fill=ink if hatch is None else "#ffffff")
    slopes: Sequence[int] = (-1, 1) if hatch == 2 else (hatch,) if hatch else ()
    stripes = [
        Shape(line, ink, 1.0)
        for slope in slopes
        for line in _stripes(left, top, right, bottom, slope)
    ]
    return [outline, *stripes]


def _stripes(
    left: float, top: float, right: float, bottom: float, slope: int, gap: float = 6.0
) -> list[list[Point]]:
    """Lines at 45° that fill a box and stay inside it."""
    width, height = right - left, bottom - top
    found = []
    for i in range(1, int((width + height) / gap) + 1):
        way = i * gap  # along the box's left and bottom sides
        x0, y0 = max(0.0, way - height), min(way, height)
        x1, y1 = min(way, width), max(0.0, way - width)
        if slope > 0:
            y0, y1 = height - y0, height - y1
        found.append([(left + x0, top + y0), (left + x1, top + y1)])
    return found
