"""Images as documents; what is read in them comes from a stand-in for OCR."""

import struct
import zlib
from typing import Any

import pytest
from PIL import Image, PngImagePlugin

from ingest.parse.image import ImageParser
from ingest.parse.ocr.base import OcrLine
from ingest.parse.sniff import choose_parser
from kb.errors import ParseError
from kb.records import Document
from kb.settings import ParseSettings
from tests.scans import encoded, picture, prose

FORMATS = ["PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP"]


class Reader:
    """Reads an image's size, upright ones being higher than wide."""

    identity, release, notes, version = "fake", "1", (), 1

    def read(self, image: Image.Image, dpi: int) -> list[OcrLine]:
        text = f"lo que se lee en {image.width} por {image.height} puntos"
        return [OcrLine(text, (30, 60, 90, 120), 0.99, 1)]

    def turn(self, image: Image.Image) -> int:
        return 0


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.parse.ocr.recognise.engine_of", lambda _settings: Reader())


def parse(data: bytes, name: str = "") -> Document:
    return ImageParser(ParseSettings()).parse(data, name)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_told_by_its_bytes(form: str) -> None:
    data = encoded(picture(prose, dpi=50), form)
    assert choose_parser("acta.txt", data[:100]) == "image"
    document = parse(data)
    # 414 x 585 pixels are those of a screen, which is read at three times its size
    assert document.text == "lo que se lee en 1242 por 1755 puntos"
    assert (document.pages, document.ocr_pages, document.verbatim) == (1, (1,), False)
    assert [(e.page, e.bbox) for e in document.elements] == [(1, (10.0, 20.0, 30.0, 40.0))]


@pytest.mark.parametrize("words", [b"BM is how this text begins", b"BMW 320", b"II*", b"GIF8x"])
def test_words_are_no_image(words: bytes) -> None:
    assert choose_parser("a.txt", words) == "text"


def test_a_tiff_has_pages_and_a_gif_one() -> None:
    pages = [picture(prose, dpi=dpi) for dpi in (150, 160, 170)]
    tiff = encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    assert [e.page for e in parse(tiff).elements] == [1, 2, 3]
    gif = encoded(pages[0], "GIF", save_all=True, append_images=pages[1:])
    assert parse(gif).pages == 1


def test_exif_turns_the_image_and_is_metadata() -> None:
    exif = Image.Exif()
    exif[274] = 6  # turn clockwise to see it upright
    exif[270], exif[315], exif[306] = "Acta del riego", "Ana\0", "2024:05:01 09:30:00"
    exif.get_ifd(0x8769)[36867] = "2024:04:30 18:00:00"
    document = parse(encoded(picture(prose, turned=270, dpi=50), "JPEG", exif=exif))
    assert document.text.endswith("1242 por 1755 puntos")
    assert document.metadata == {
        "description": "Acta del riego",
        "author": "Ana",
        "modified": "2024-05-01",
        "date": "2024-04-30",
    }


def test_text_of_a_png_is_metadata() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("Title", "Plano de la presa")
    info.add_itxt("Description", "Alzado y planta, 1:50")
    info.add_text("Software", "irrelevant")
    document = parse(encoded(picture(prose, dpi=50), "PNG", pnginfo=info))
    assert document.title == "Plano de la presa"
    assert document.metadata == {
        "title": "Plano de la presa",
        "description": "Alzado y planta, 1:50",
    }


@pytest.mark.parametrize("mode", ["1", "P", "RGBA", "LA", "CMYK", "I;16", "I", "F"])
def test_every_kind_of_pixel_is_read(mode: str) -> None:
    image = picture(prose, dpi=50)
    made = image.point(lambda v: v * 1.0).convert("I") if mode.startswith("I") else image
    form = "TIFF" if mode in ("CMYK", "F", "I", "I;16") else "PNG"
    assert parse(encoded(made.convert(mode), form)).pages == 1


def test_what_is_clear_is_white() -> None:
    seen: list[Any] = []
    clear = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    from ingest.parse.image import frames, opened

    seen.extend(frames(opened(encoded(clear, "PNG"))))
    assert seen[0].getpixel((5, 5)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n", "broken image"),
        (encoded(picture(prose, dpi=50), "PNG")[:400], "broken image"),
        (b"BM" + bytes(200), "broken image"),
    ],
)
def test_damage_is_named(data: bytes, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        parse(data)


def png_that_claims(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    blank = zlib.compress(bytes(1000))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", blank) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("size", [(12_000, 12_000), (60_000, 60_000)])
def test_a_bomb_is_not_unpacked(size: tuple[int, int]) -> None:
    with pytest.raises(ParseError, match="more than 89 million pixels"):
        parse(png_that_claims(*size))


def test_without_ocr_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises(ParseError, match=r"^an image, OCR is off: parse.ocr = \"off\"$"):
        ImageParser(ParseSettings(ocr="off")).parse(encoded(picture(prose, dpi=50), "PNG"), "")
