"""A drawing as PNG, by Pillow: drawn large and shrunk, which smooths its lines."""

import math
import unicodedata
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

from kb.plot.drawing import Drawing, Point, Shape, Text

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

_SCALE = 2  # pixels of the picture for one of the drawing
_FINER = 3  # times as large, before it is shrunk
# Pillow's own font has neither accents nor these; any other font would have to lie on the machine.
_PLAIN = str.maketrans({"\N{MINUS SIGN}": "-", "×": "x", "–": "-", "—": "-", "≥": ">=", "→": "->"})
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def png(drawing: Drawing) -> bytes:
    """The picture as a PNG file, twice as many pixels wide and high as the drawing says."""
    from PIL import Image, ImageDraw

    size = (drawing.width * _SCALE, drawing.height * _SCALE)
    image = Image.new("RGB", (size[0] * _FINER, size[1] * _FINER), "white")
    pen = ImageDraw.Draw(image)
    for item in drawing.items:
        if isinstance(item, Shape):
            _shape(pen, item)
        else:
            _text(image, pen, item)
    out = BytesIO()
    image.resize(size, Image.Resampling.BOX).save(out, "PNG", optimize=True)
    return out.getvalue()


def _shape(pen: "ImageDraw", shape: Shape) -> None:
    factor = _SCALE * _FINER
    points = [(x * factor, y * factor) for x, y in shape.points]
    if shape.closed and shape.fill:
        pen.polygon(points, fill=shape.fill)
    if not shape.stroke:
        return
    if shape.closed:
        points = [*points, points[0]]
    width = max(round(shape.width * factor), 1)
    for piece in _dashed(points, [length * factor for length in shape.dash]):
        pen.line(piece, fill=shape.stroke, width=width, joint="curve")


def _dashed(points: Sequence[Point], dash: Sequence[float]) -> Iterator[list[Point]]:
    """The pieces of a line that are drawn; the pattern goes on round corners."""
    if not dash:
        yield list(points)
        return
    turn, left, piece = 0, dash[0], [points[0]]
    for a, b in pairwise(points):
        length, done = math.dist(a, b), 0.0
        while length - done >= left:
            done += left
            share = done / length
            at = (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)
            if turn % 2 == 0:
                yield [*piece, at]
            turn, piece = turn + 1, [at]
            left = dash[turn % len(dash)]
        left -= length - done
        piece.append(b)
    if turn % 2 == 0 and len(piece) > 1:
        yield piece


def _written(text: str) -> str:
    """With the font's letters only: accents go, other signs become ``?``."""
    apart = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    kept = "".join(c for c in apart if not unicodedata.combining(c))
    return kept.encode("latin-1", "replace").decode("latin-1")


def _text(image: "Image", pen: "ImageDraw", text: Text) -> None:
    from PIL import Image, ImageDraw, ImageFont

    factor = _SCALE * _FINER
    font = ImageFont.load_default(text.size * factor)
    x, y = text.at[0] * factor, text.at[1] * factor
    said = _written(text.text)
    if not text.turned:
        pen.text((x, y), said, fill="#000000", font=font, anchor=_ANCHORS[text.anchor])
        return
    left, top, right, bottom = font.getbbox(said, anchor="ls")
    sheet = Image.new("L", (math.ceil(right - left), math.ceil(bottom - top)), 0)
    ImageDraw.Draw(sheet).text((-left, -top), said, fill=255, font=font, anchor="ls")
    turned = sheet.transpose(Image.Transpose.ROTATE_90)
    shift = {"start": 1.0, "middle": 0.5, "end": 0.0}[text.anchor]
    image.paste("#000000", (round(x + top), round(y - turned.height * shift)), turned)
