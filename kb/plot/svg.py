"""A drawing as SVG: no scripts, no fonts of its own, the same bytes for the same drawing."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from kb.plot.drawing import Drawing, Point, Shape, Text

_FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"


def svg(drawing: Drawing) -> bytes:
    """The picture as an SVG file, UTF-8."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawing.width}" '
        f'height="{drawing.height}" viewBox="0 0 {drawing.width} {drawing.height}" '
        f'role="img" font-family="{_FONT}">',
        f"<title>{escape(_plain(drawing.title))}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *(_shape(item) if isinstance(item, Shape) else _text(item) for item in drawing.items),
        "</svg>",
    ]
    return ("\n".join(lines) + "\n").encode()


def _shape(shape: Shape) -> str:
    ends = "Z" if shape.closed else ""
    parts = [f'<path d="M{_points(shape.points)}{ends}" fill={quoteattr(shape.fill or "none")}']
    if shape.stroke:
        parts.append(f'stroke={quoteattr(shape.stroke)} stroke-width="{_number(shape.width)}"')
    if shape.dash:
        parts.append(f'stroke-dasharray="{" ".join(map(_number, shape.dash))}"')
    return " ".join(parts) + "/>"


def _text(text: Text) -> str:
    x, y = (_number(value) for value in text.at)
    turn = f' transform="rotate(-90 {x} {y})"' if text.turned else ""
    anchor = "" if text.anchor == "start" else f' text-anchor="{text.anchor}"'
    words = escape(_plain(text.text))
    return f'<text x="{x}" y="{y}" font-size="{_number(text.size)}"{anchor}{turn}>{words}</text>'


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _plain(text: str) -> str:
    """Without what XML 1.0 cannot hold: control characters and lone surrogates."""
    return "".join(c if c.isprintable() or c == " " else "\N{REPLACEMENT CHARACTER}" for c in text)
