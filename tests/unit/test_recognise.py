"""Orientation, dirt and the cache, with an engine that says what the test wants."""

from pathlib import Path
from typing import ClassVar

import pytest
from PIL import Image, ImageDraw

from ingest.parse.ocr.base import OcrLine
from ingest.parse.ocr.cache import OcrCache, Recognised, clear
from ingest.parse.ocr.layout import page_of
from ingest.parse.ocr.recognise import Recogniser, blank, engine_of
from ingest.parse.pdf.pages import PdfPage
from ingest.parse.surroundings import Surroundings, within
from kb.errors import Unavailable
from kb.settings import ParseSettings

GOOD = "la compuerta se abre cada lunes"
NOISE = "xqzt vbbb rrrt kkpw"


class Engine:
    """Upright is the image whose top left corner is black."""

    version: ClassVar[int] = 1
    identity = "fake"
    release = "1"
    notes = ()

    def __init__(self, told: int | None = None, noise: str = NOISE) -> None:
        self.told = told
        self.noise = noise
        self.reads = 0

    def read(self, image: Image.Image, dpi: int) -> list[OcrLine]:
        self.reads += 1
        upright = image.getpixel((0, 0)) == 0
        text, sure = (GOOD, 0.95) if upright else (self.noise, 0.5)
        return [OcrLine(text, (10, 20, 110, 40), sure, 1)]

    def turn(self, image: Image.Image) -> int | None:
        return self.told


def page(turned: int = 0) -> Image.Image:
    image = Image.new("L", (200, 100), "white")
    ImageDraw.Draw(image).rectangle((0, 0, 30, 30), fill=0)
    return image.rotate(-turned, expand=True)


def recogniser(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> Recogniser:
    monkeypatch.setattr("ingest.parse.ocr.recognise.engine_of", lambda _settings: engine)
    return Recogniser(ParseSettings())


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
@pytest.mark.parametrize("tells", [True, False])
def test_a_page_is_turned_upright(
    monkeypatch: pytest.MonkeyPatch, turned: int, tells: bool
) -> None:
    back = (360 - turned) % 360
    engine = Engine(back if tells else None)
    found = recogniser(monkeypatch, engine).read(page(turned), 300)
    assert (found.turn, found.width, found.height) == (back, 200, 100)
    assert [line.text for line in found.lines] == [GOOD]
    most = 1 if not turned else 2 if tells else 4
    assert engine.reads <= most


def test_boxes_of_a_turned_page_lie_on_the_page_as_it_is_shown() -> None:
    # 200 x 100 px at 144 dpi is 100 x 50 points upright; the box is (10, 20, 110, 40) px
    line = OcrLine(GOOD, (10, 20, 110, 40), 1.0, 1)
    boxes = {
        turn: page_of(1, Recognised((line,), 200, 100, turn), 144).shown((5, 10, 55, 20))
        for turn in (0, 90, 180, 270)
    }
    assert boxes == {
        0: (5, 10, 55, 20),
        # a page that was turned clockwise stood 50 wide and 100 high, its top at the left
        90: (10, 45, 20, 95),
        180: (45, 30, 95, 40),
        270: (30, 5, 40, 55),
    }


def test_dirt_is_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    image = page(90)
    assert recogniser(monkeypatch, Engine(0)).read(image, 300).lines == ()
    odd = Engine(0, noise="|  ~ —")
    assert recogniser(monkeypatch, odd).read(image, 300).lines == ()


def test_a_blank_page_costs_no_ocr(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    found = recogniser(monkeypatch, engine).read(Image.new("L", (300, 300), 250), 300)
    assert (found.lines, engine.reads) == ((), 0)
    assert not blank(page())


def test_what_was_read_is_remembered_by_the_pixels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine()
    alive: list[int] = []
    with within(Surroundings(tmp_path, lambda: alive.append(1))):
        first = recogniser(monkeypatch, engine).read(page(), 300)
        assert recogniser(monkeypatch, engine).read(page(), 300) == first
    assert (engine.reads, len(alive)) == (1, 3)
    for file in tmp_path.glob("ocr/*/*.json"):
        file.write_bytes(b"{dam")
    with within(Surroundings(tmp_path)):
        assert recogniser(monkeypatch, engine).read(page(), 300) == first
        recogniser(monkeypatch, engine).read(page(180), 300)
    assert engine.reads == 2 + 4  # upside down comes last
    assert clear(tmp_path, dry_run=True) == 2
    assert clear(tmp_path) == 2
    assert clear(tmp_path) == 0


def test_a_cache_that_cannot_be_written_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ocr").write_text("a file where the folder should be")
    with within(Surroundings(tmp_path)):
        assert recogniser(monkeypatch, Engine()).read(page(), 300).lines


def test_the_engine_is_part_of_the_key() -> None:
    keys = {OcrCache(None, *engine).key(page()) for engine in [("a", "1"), ("a", "2"), ("b", "1")]}
    assert len(keys) == 3


def test_no_engine_names_both_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(Unavailable, match=r"apt-get install tesseract-ocr .*--extra rapidocr"):
        engine_of(ParseSettings())
    with pytest.raises(Unavailable, match=r"parse.ocr = \"off\""):
        engine_of(ParseSettings(ocr="off"))
    with pytest.raises(Unavailable, match=r"^tesseract is not installed"):
        engine_of(ParseSettings(ocr="tesseract"))


def words(found: PdfPage) -> list[list[str]]:
    return [[line.text for line in block.lines] for block in found.blocks]


def test_columns_of_cells_become_rows() -> None:
    cells = [
        OcrLine(text, (x, y, x + 40, y + 10), 0.9, block)
        for block, (x, texts) in enumerate([(0, "ab"), (100, "cd")], 1)
        for y, text in zip((0, 30), texts, strict=True)
    ]
    assert words(page_of(1, Recognised(tuple(cells), 200, 100), 72)) == [["a", "c"], ["b", "d"]]


def test_columns_of_prose_stay() -> None:
    lines = [
        OcrLine(GOOD, (x, y, x + 90, y + 10), 0.9, block)
        for block, x in ((1, 0), (2, 100))
        for y in (0, 12)
    ]
    found = page_of(1, Recognised(tuple(lines), 200, 100), 72)
    assert words(found) == [[GOOD, GOOD], [GOOD, GOOD]]
