"""An image to upright lines of text: engine, orientation, dirt, and the cache around them."""

from typing import TYPE_CHECKING

from ingest.parse.ocr.base import OcrEngine, OcrLine
from ingest.parse.ocr.cache import OcrCache, Recognised
from ingest.parse.surroundings import current
from ingest.parse.wordlike import wording
from kb.errors import Unavailable
from kb.registry import load, names
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from PIL.Image import Image

SURE = 0.75  # an upright page of text is read with more confidence
MIN_SHARE = 0.7  # of what was read that looks like words
MIN_LETTERS = 12  # fewer tell nothing about how the page is turned
MIN_LINE = 0.4  # confidence of a line; less is dirt or drawing
NOT_TOLD = (90, 270, 180)  # sideways is more usual than upside down


class Recogniser:
    """Reads images with the engine of the settings; one after the other."""

    version = 1  # raised when what this class makes of an engine's lines changes

    def __init__(self, settings: ParseSettings) -> None:
        """Find the engine.

        Raises:
            Unavailable: there is none, or OCR is off; the message says what to do.
        """
        self._engine = engine_of(settings)
        self._cache = OcrCache(
            current().cache,
            str(self.version),
            str(self._engine.version),
            self._engine.identity,
            self._engine.release,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user asked for and cannot have."""
        return self._engine.notes

    def read(self, image: "Image", dpi: int) -> Recognised:
        """The lines of an image, which is turned upright first.

        None where this run only looks and the image was never read.

        Raises:
            ParseError: the engine failed on it.
        """
        key = self._cache.key(image)
        found = self._cache.get(key)
        if found is None and current().only_look:
            if not blank(image):
                current().unread()
            return Recognised((), image.width, image.height)
        if found is None:
            found = self._best(image, dpi)
            self._cache.put(key, found)
        current().alive()
        return found

    def _best(self, image: "Image", dpi: int) -> Recognised:
        if blank(image):
            return Recognised((), image.width, image.height)
        best = self._turned(image, dpi, 0)
        if not _upright(best):
            told = self._engine.turn(image)
            for turn in NOT_TOLD if told is None else (told,):
                if turn:
                    best = max(best, self._turned(image, dpi, turn), key=_worth)
                if _upright(best):
                    break
        return Recognised(_without_dirt(best.lines), best.width, best.height, best.turn)

    def _turned(self, image: "Image", dpi: int, turn: int) -> Recognised:
        turned = image.rotate(-turn, expand=True) if turn else image
        lines = tuple(self._engine.read(turned, dpi))
        current().alive()
        return Recognised(lines, turned.width, turned.height, turn)


def engine_of(settings: ParseSettings) -> OcrEngine:
    """The OCR engine that the settings name, or the first that is there.

    Raises:
        Unavailable: there is none, or OCR is off.
    """
    if settings.ocr == "off":
        raise Unavailable('OCR is off: parse.ocr = "off"')
    if settings.ocr != "auto":
        named: OcrEngine = load("ocr", settings.ocr)(settings)
        return named
    reasons: list[str] = []
    for name in names("ocr"):
        try:
            found: OcrEngine = load("ocr", name)(settings)
        except Unavailable as error:
            reasons.append(str(error))
        else:
            return found
    raise Unavailable(f"OCR not available: {'; or '.join(reasons)}")


def outlook(settings: ParseSettings) -> str:
    """Who would read, for the key of a parse; another release of it is no reason to read again."""
    try:
        engine = engine_of(settings)
    except Unavailable:
        return "none"
    return engine.identity


def blank(image: "Image") -> bool:
    """Whether the image is of one shade, but for the noise of a scanner."""
    small = image.convert("L").reduce(max(1, min(image.size) // 400))
    shades = small.histogram()
    dots = sum(shades)
    peak = max(range(256), key=shades.__getitem__)
    near = sum(shades[max(0, peak - 24) : peak + 25])
    return dots - near < dots * 0.0002


def _upright(found: Recognised) -> bool:
    letters = sum(len(line.text) for line in found.lines)
    if letters < MIN_LETTERS:
        return False
    tall = sum(len(line.text) for line in found.lines if _tall(line))
    words = wording("\n".join(line.text for line in found.lines))
    return tall * 2 < letters and _confidence(found.lines) >= SURE and words.share >= MIN_SHARE


def _worth(found: Recognised) -> float:
    """Letters that were read with confidence and look like words; lines that run down count little."""
    return sum(
        line.confidence * max(0, wording(line.text).worth) * (0.1 if _tall(line) else 1.0)
        for line in found.lines
    )


def _tall(line: OcrLine) -> bool:
    x0, y0, x1, y1 = line.box
    return len(line.text) > 3 and y1 - y0 > 1.5 * (x1 - x0)


def _confidence(lines: tuple[OcrLine, ...]) -> float:
    letters = sum(len(line.text) for line in lines)
    return sum(len(line.text) * line.confidence for line in lines) / max(1, letters)


def _without_dirt(lines: tuple[OcrLine, ...]) -> tuple[OcrLine, ...]:
    """Nothing is left of a photograph in whose grain the engine saw letters."""
    kept = tuple(line for line in lines if line.confidence >= MIN_LINE and _has_text(line.text))
    words = wording("\n".join(line.text for line in kept))
    if _confidence(kept) < 0.6 and (words.share < 0.6 or words.good < MIN_LETTERS):
        return ()
    return kept


def _has_text(text: str) -> bool:
    return any(char.isalnum() for char in text)
