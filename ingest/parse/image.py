"""Images: what OCR reads in them, and what their files say about them."""

import io
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ingest import language
from ingest.parse.card import card_of
from ingest.parse.image_metadata import metadata_of
from ingest.parse.ocr.layout import page_of
from ingest.parse.ocr.recognise import Recogniser
from ingest.parse.pdf.build import build, opening
from ingest.parse.pdf.pages import PdfPage
from ingest.parse.pdf.with_ocr import listed
from ingest.parse.titles import first_title, sensible
from kb.errors import ParseError, Unavailable
from kb.records import Document
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "WEBP", "BMP")  # an MPO is opened as a JPEG
MAX_FRAMES = 2000
SCREEN = 1600  # pixels: a longer side below this is more often a screenshot than a scan
SCREEN_DPI, SCAN_DPI = 96, 300


class ImageParser:
    """A page for each frame of a TIFF, one for all others; boxes are in pixels of the upright image."""

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, too large, without text, or no OCR is available.
        """
        if not data:
            raise ParseError("the file is empty")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about damaged metadata, mostly
            if self.settings.multimodal == "tools":
                return _card(data, name)
            pages, metadata, notes, obstacle = self._read(data)
        built = build(tuple(pages))
        if not built.elements and self.settings.multimodal != "native":
            raise ParseError("; ".join(("an image in which OCR found no text", *notes)))
        text = built.text
        bare = [page.number for page in pages if not page.blocks]
        if bare:
            notes = (f"{listed(bare)}: {obstacle or 'OCR found no text'}", *notes)
        return Document(
            text=text,
            elements=tuple(built.elements),
            title=first_title(map(sensible, (metadata.get("title"), *opening(built))), name),
            language=language.detect(text),
            metadata=metadata,
            warnings=notes,
            verbatim=False,
            pages=len(pages),
            ocr_pages=tuple(page.number for page in pages if page.blocks),
        )

    def _read(self, data: bytes) -> tuple[list[PdfPage], dict[str, Any], tuple[str, ...], str]:
        image = opened(data)
        metadata = metadata_of(image)
        try:
            recogniser = Recogniser(self.settings)
        except Unavailable as error:
            if self.settings.multimodal == "native":
                return _bare(image), metadata, (), str(error)
            raise ParseError(f"an image, {error}") from error
        pages: list[PdfPage] = []
        for number, frame in enumerate(frames(image), 1):
            larger, scale = enlarged(frame)
            dpi = SCREEN_DPI * scale if scale > 1 else SCAN_DPI
            # 72 dots an inch make a point of a pixel
            pages.append(page_of(number, recogniser.read(larger, dpi), 72 * scale))
        return pages, metadata, recogniser.notes, ""


def _bare(image: "Image") -> list[PdfPage]:
    sizes = (frame.size for frame in frames(image))
    return [PdfPage(number, *size, ()) for number, size in enumerate(sizes, 1)]


def _card(data: bytes, name: str) -> Document:
    image = opened(data)
    metadata = metadata_of(image)
    count = sum(1 for _ in frames(image))
    title = first_title(map(sensible, (metadata.get("title"),)), name)
    spoken = language.detect(str(metadata.get("description", "")))
    document = Document("", (), title, spoken, metadata, verbatim=False, pages=count)
    return card_of(document, tuple(range(1, count + 1)))


def opened(data: bytes) -> "Image":
    """An image whose size is known to be bearable; its pixels are not read yet.

    Raises:
        ParseError: it is none, or too large.
    """
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return Image.open(io.BytesIO(data), formats=FORMATS)
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        raise _too_large() from error
    except UnidentifiedImageError as error:
        raise ParseError(
            "broken image: what it shows cannot be told from its first bytes"
        ) from error
    except Exception as error:  # a decoder meets damage with an error of any kind
        raise _broken(error) from error


def frames(image: "Image") -> Iterator["Image"]:
    """The pages of a TIFF, the first frame of anything else; turned as the camera was held.

    Raises:
        ParseError: one is damaged.
    """
    from PIL import ImageOps

    count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    if count > MAX_FRAMES:
        raise ParseError(f"a TIFF of {count:,} pages: no more than {MAX_FRAMES:,} are read")
    for number in range(count):
        try:
            image.seek(number)
            if image.width * image.height > _most_pixels():
                raise _too_large()
            yield _flat(ImageOps.exif_transpose(image))
        except ParseError:
            raise
        except Exception as error:
            raise _broken(error) from error


def _flat(image: "Image") -> "Image":
    """Grey or RGB, on white where it is transparent."""
    from PIL import Image

    if image.mode in ("1", "L"):
        return image.convert("L")
    if image.mode.startswith("I") or image.mode == "F":  # 16 bits a pixel and more
        low, high = cast("tuple[float, float]", image.getextrema())
        span = max(1.0, high - low)
        return image.point(lambda v: (v - low) * (255 / span)).convert("L")
    if "A" in image.mode or "transparency" in image.info:
        clear = image.convert("RGBA")
        white = Image.new("RGBA", clear.size, "white")
        return Image.alpha_composite(white, clear).convert("RGB")
    return image.convert("RGB")


def enlarged(image: "Image") -> tuple["Image", int]:
    """An image as OCR likes it, and by how much it was enlarged: letters of a screen are too small."""
    from PIL import Image

    longer = max(image.size)
    scale = 1 if longer > SCREEN else 2 if longer > SCREEN // 2 else 3
    if scale == 1:
        return image, 1
    size = (image.width * scale, image.height * scale)
    return image.resize(size, Image.Resampling.LANCZOS), scale


def _most_pixels() -> int:
    from PIL import Image

    return Image.MAX_IMAGE_PIXELS or 1 << 26


def _too_large() -> ParseError:
    return ParseError(
        f"an image of more than {_most_pixels() // 1_000_000} million pixels: scale it down"
    )


def _broken(error: Exception) -> ParseError:
    reason = " ".join(str(error).split())[:120]
    return ParseError(f"broken image: {reason or type(error).__name__}")
