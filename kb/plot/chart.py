"""Charts: points joined by lines or not, bars, and dots in rows with their intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.plot.drawing import Drawing, Point, Shape, Text
from kb.plot.frame import Frame
from kb.plot.scale import Axis
from kb.plot.style import bar, colour, dash, marker


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together."""

    name: str
    points: Sequence[Point]
    joined: bool = True
    labels: Sequence[str] = ()  # of the points, one each; () for none


@dataclass(frozen=True, slots=True)
class Measured:
    """One value for each group, with the ends of its interval where there is one."""

    name: str
    values: Sequence[float]
    intervals: Sequence[tuple[float, float]] = ()  # one a value; () for none


def lines(title: str, x: Axis, y: Axis, series: Sequence[Series], legend: bool = True) -> Drawing:
    """Points by two measures, such as recall and queries per second."""
    names = [one.name for one in series] if legend else []
    frame = Frame(title, names, joined=any(one.joined for one in series))
    points = [point for one in series for point in one.points]
    across = frame.bottom_axis(x, [p[0] for p in points])
    upwards = frame.left_axis(y, [p[1] for p in points])
    for index, one in enumerate(series):
        places = [(across(px), upwards(py)) for px, py in one.points]
        if one.joined and len(places) > 1:
            frame.add(Shape(places, colour(index), 1.8, dash(index)))
        for place in places:
            frame.add(*marker(index, place))
        for (px, py), label in zip(places, one.labels, strict=False):
            frame.add(_beside(px, py, label, frame.right))
    return frame.drawing


def bars(title: str, groups: Sequence[str], y: Axis, series: Sequence[Measured]) -> Drawing:
    """A group of bars for each name, a bar for each series; bars stand on 0."""
    frame = Frame(title, [one.name for one in series], as_bars=True)
    grounded = Axis(y.label, 0.0 if y.low is None else y.low, y.high, y.log)
    upwards = frame.left_axis(grounded, list(_all_values(series)))
    wide = (frame.right - frame.left) / max(len(groups), 1)
    each = wide * 0.8 / max(len(series), 1)
    for g, group in enumerate(groups):
        middle = frame.left + wide * (g + 0.5)
        frame.add(Text((middle, frame.bottom + 18), group, 12, "middle"))
        for index, one in enumerate(series):
            left = middle - wide * 0.4 + each * index
            top = upwards(one.values[g])
            frame.add(*bar(index, left + 1, top, left + each - 1, frame.bottom))
            if one.intervals:
                low, high = (upwards(end) for end in one.intervals[g])
                frame.add(*_whisker((left + each / 2, low), (left + each / 2, high)))
    return frame.drawing


def rows(title: str, groups: Sequence[str], x: Axis, series: Sequence[Measured]) -> Drawing:
    """A row for each name with a dot for each series, and its interval as a line through the dot."""
    each = 9.0
    tall = each * len(series) + 16
    widest = max((Text((0, 0), group).width for group in groups), default=0.0)
    names = [one.name for one in series]
    frame = Frame(title, names, room_left=widest + 20, inner_height=tall * max(len(groups), 1))
    across = frame.bottom_axis(x, list(_all_values(series)))
    for g, group in enumerate(groups):
        top = frame.top + tall * g
        frame.add(Text((frame.left - 10, top + tall / 2 + 4), group, 12, "end"))
        if g:
            frame.add(Shape([(frame.left, top), (frame.right, top)], "#cccccc", 0.8))
        for index, one in enumerate(series):
            y = top + 8 + each * (index + 0.5)
            if one.intervals:
                low, high = (across(end) for end in one.intervals[g])
                frame.add(*_whisker((low, y), (high, y)))
            frame.add(*marker(index, (across(one.values[g]), y), 4.5))
    return frame.drawing


def _all_values(series: Sequence[Measured]) -> Iterator[float]:
    for one in series:
        yield from one.values
        for low, high in one.intervals:
            yield low
            yield high


def _whisker(a: Point, b: Point) -> list[Shape]:
    """A line with short ends, upright or level."""
    flat = a[1] == b[1]
    dx, dy = (0.0, 3.0) if flat else (3.0, 0.0)
    ends = [Shape([(x - dx, y - dy), (x + dx, y + dy)], "#444444") for x, y in (a, b)]
    return [Shape([a, b], "#444444"), *ends]


def _beside(x: float, y: float, label: str, right: float) -> Text:
    text = Text((x + 8, y - 6), label, 10)
    if x + 8 + text.width > right:
        return Text((x - 8, y - 6), label, 10, "end")
    return text
