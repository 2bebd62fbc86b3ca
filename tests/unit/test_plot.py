"""Charts as SVG and PNG: well formed, told apart without colour, the same bytes each time."""

import io
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from kb.errors import UsageError
from kb.plot import save, style
from kb.plot.chart import Measured, Series, bars, lines, rows
from kb.plot.drawing import Drawing, Shape
from kb.plot.png import png
from kb.plot.scale import Axis, Scale, fit, tick_label
from kb.plot.svg import svg

SERIES = [
    Series(f"s{n}", [(0.5, 10.0 * (n + 1)), (0.9, 3.0 + n)], labels=["a", "b"]) for n in range(3)
]
VALUES = [Measured("dense", [0.8, 0.7], [(0.7, 0.9), (0.6, 0.8)]), Measured("sparse", [0.6, 0.9])]
CHARTS = {
    "lines": lines("Recall & <speed>\x1b", Axis("recall@10"), Axis("QPS", log=True), SERIES),
    "bars": bars("Étapes", ["read", "chunk"], Axis("seconds"), VALUES),
    "rows": rows("Búsqueda", ["hit@10", "nDCG@10"], Axis("mean", 0.0, 1.0), VALUES),
}


@pytest.mark.parametrize("name", CHARTS)
def test_svg_is_well_formed_and_the_same_each_time(name: str) -> None:
    raw = svg(CHARTS[name])
    root = ElementTree.fromstring(raw)
    assert root.tag.endswith("svg")
    assert (int(root.attrib["width"]), int(root.attrib["height"])) == (
        CHARTS[name].width,
        CHARTS[name].height,
    )
    assert raw == svg(CHARTS[name])
    assert b"script" not in raw
    assert b"http" not in raw.replace(b"http://www.w3.org/2000/svg", b"")


@pytest.mark.parametrize("name", CHARTS)
def test_png_has_the_drawing_on_white(name: str) -> None:
    drawing = CHARTS[name]
    with Image.open(io.BytesIO(png(drawing))) as image:
        assert image.size == (drawing.width * 2, drawing.height * 2)
        grey = np.asarray(image.convert("L"))
    assert grey[0, 0] == 255
    assert (grey < 100).mean() > 0.002


def test_what_the_small_font_lacks_is_written_plainly() -> None:
    plain, accents = ("Ntiles de busqueda x", "Ñtiles de búsqueda ×")
    assert png(rows(plain, ["a"], Axis("x"), [])) == png(rows(accents, ["a"], Axis("x"), []))


def marks(shapes: list[Shape]) -> list[tuple[int, bool, bool]]:
    return [(len(shape.points), shape.closed, bool(shape.fill)) for shape in shapes]


def test_series_differ_without_colour() -> None:
    seen = []
    for index in range(6):
        shapes = style.marker(index, (0, 0))
        outline = [[(round(x), round(y)) for x, y in shape.points] for shape in shapes]
        seen.append((marks(shapes), outline))
    assert all(seen[a] != seen[b] for a in range(6) for b in range(a))
    assert len({style.dash(index) for index in range(6)}) == 6
    hatched = [len(style.bar(index, 0, 0, 40, 80)) for index in range(5)]
    assert hatched[0] == hatched[1] == 1  # full and empty
    assert style.bar(0, 0, 0, 4, 4)[0].fill != style.bar(1, 0, 0, 4, 4)[0].fill
    assert all(count > 1 for count in hatched[2:])


def test_stripes_stay_in_their_bar() -> None:
    for index in range(2, 5):
        for shape in style.bar(index, 10, 20, 47, 91):
            assert all(10 <= x <= 47 and 20 <= y <= 91 for x, y in shape.points)


def test_scales() -> None:
    scale = Scale(0, 10, 100, 200)
    assert [scale(v) for v in (0, 5, 10, 99, -1)] == [100, 150, 200, 200, 100]
    assert Scale(1, 100, 0, 2, log=True)(10) == pytest.approx(1)
    assert Scale(0, 1, 0, 1).ticks() == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert Scale(1, 1000, 0, 1, log=True).ticks() == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert fit(Axis("x"), [], 0, 1).low < 1 < fit(Axis("x"), [], 0, 1).high
    same = fit(Axis("x"), [3.0, 3.0], 0, 1)
    assert same.low < 3 < same.high
    assert fit(Axis("x", log=True), [0.0, 10.0], 0, 1).low > 0


def test_tick_labels() -> None:
    assert [tick_label(v) for v in (0, 0.95, 250, 1500, 2e6)] == ["0", "0.95", "250", "1.5k", "2M"]


def test_legend_and_labels_stay_on_the_sheet() -> None:
    many = [
        Series(f"a series with a long name {n}", [(1.0, n)], labels=["label"]) for n in range(9)
    ]
    drawing = lines("t", Axis("x"), Axis("y"), many)
    for item in drawing.items:
        if isinstance(item, Shape):
            assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in item.points)
    raw = svg(drawing).decode()
    assert all(f"name {n}<" in raw for n in range(9))


def test_a_file_says_its_form(tmp_path: Path) -> None:
    for name in ("a.svg", "b.PNG"):
        save.check(tmp_path / name)
        save.save(CHARTS["rows"], tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<svg")
    assert (tmp_path / "b.PNG").read_bytes().startswith(b"\x89PNG")
    for wrong in (tmp_path / "a.pdf", tmp_path / "none" / "a.svg"):
        with pytest.raises(UsageError, match=re.escape(str(wrong))):
            save.check(wrong)


def test_a_dashed_line_has_gaps_round_corners() -> None:
    from kb.plot.png import _dashed

    pieces = list(_dashed([(0, 0), (10, 0), (10, 10)], (4, 2)))
    # on 0-4, 6-10, then off for the 2 after the corner, on 12-16, off 16-18, on 18-20
    assert pieces == [[(0, 0), (4, 0)], [(6, 0), (10, 0)], [(10, 2), (10, 6)], [(10, 8), (10, 10)]]
    assert list(_dashed([(0, 0), (3, 0)], ())) == [[(0, 0), (3, 0)]]


def test_an_empty_drawing_is_a_white_sheet() -> None:
    with Image.open(io.BytesIO(png(Drawing(10, 5)))) as image:
        assert image.getcolors() == [(20 * 10, (255, 255, 255))]
