"""A chart as a title and the table of numbers that it draws."""

from typing import TYPE_CHECKING

from ingest.parse.xml_tree import attr, below, child, number

if TYPE_CHECKING:
    from lxml.etree import _Element as Node

MOST_POINTS = 5000  # of a series


def read_chart(root: "Node") -> tuple[str, list[list[str]]]:
    """Title, and rows: the series' names first, then a row a category."""
    title = drawn_text(child(root, "chart", "title"))
    names = [""]
    columns: list[dict[int, str]] = []
    labels: dict[int, str] = {}
    for series in below(root, "ser"):
        names.append(_points(child(series, "tx")).get(0, "") or drawn_text(child(series, "tx")))
        columns.append(_points(child(series, "val")) or _points(child(series, "yVal")))
        labels = labels or _points(child(series, "cat")) or _points(child(series, "xVal"))
    last = min(max((max(c, default=-1) for c in (labels, *columns)), default=-1), MOST_POINTS)
    rows = [
        [labels.get(at, ""), *(column.get(at, "") for column in columns)] for at in range(last + 1)
    ]
    return title, [names, *rows] if rows else []


def drawn_text(node: "Node | None") -> str:
    """All text of a drawing on one line."""
    paragraphs = ("".join(t.text or "" for t in below(p, "t")) for p in below(node, "p"))
    return " ".join(" ".join(paragraphs).split())


def _points(node: "Node | None") -> dict[int, str]:
    """Cached values by their place; of labels of several levels the innermost."""
    level = next(below(node, "lvl"), node)
    found: dict[int, str] = {}
    for point in below(level, "pt"):
        value = child(point, "v")
        if value is not None and value.text:
            found[number(attr(point, "idx"))] = _short(value.text)
    if not found and node is not None:  # a name that is no reference
        value = child(node, "v")
        if value is not None and value.text:
            found[0] = value.text
    return found


def _short(value: str) -> str:
    """``0.30000000000000004`` as ``0.3``."""
    try:
        return f"{float(value):.12g}" if len(value) > 12 else value
    except ValueError:
        return value
