"""What every OCR engine promises, on those that are installed here."""

import pytest
from PIL import Image, ImageDraw

from kb.registry import names
from tests.scans import picture, usable

ENGINES = pytest.mark.parametrize("name", names("ocr"))
LINE = "La compuerta se abre cada lunes."


def strip(text: str = LINE) -> Image.Image:
    whole = picture(lambda page: page.insert_text((20, 40), text, fontsize=14))
    return whole.crop((0, 40, 650, 120))


@ENGINES
def test_a_line_is_read_where_it_stands(name: str) -> None:
    lines = usable(name).read(strip(), 150)
    assert "compuerta" in " ".join(line.text for line in lines)
    assert all(0 <= line.confidence <= 1 for line in lines)
    for line in lines:
        x0, y0, x1, y1 = line.box
        assert -5 <= x0 < x1 <= 655
        assert -5 <= y0 < y1 <= 85
    assert min(line.box[0] for line in lines) == pytest.approx(20 * 150 / 72, abs=12)


@ENGINES
def test_nothing_is_read_in_nothing(name: str) -> None:
    engine = usable(name)
    image = Image.new("L", (300, 80), 255)
    ImageDraw.Draw(image).line((0, 40, 300, 40), fill=200)
    assert "".join(line.text for line in engine.read(image, 150)).strip(" -—_") == ""


@ENGINES
def test_it_says_who_it_is(name: str) -> None:
    engine = usable(name)
    assert engine.identity.startswith(name)
    assert engine.release
    assert engine.version >= 1
    assert isinstance(engine.notes, tuple)
