"""OCR by the system's tesseract, through pytesseract."""

import contextlib
import functools
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ingest.parse.ocr.base import OcrLine, Pixels
from kb.errors import ParseError, Unavailable
from kb.settings import ParseSettings

if TYPE_CHECKING:
    from PIL.Image import Image

INSTALL = "apt-get install tesseract-ocr tesseract-ocr-spa"
WORD_GAP = 1.5  # of the line's height: words farther apart are cells of a table
MIN_CONFIDENCE = 0.2  # less is dirt that was taken for a word
_NO_LANGUAGES = {"osd", "equ", "snum"}  # data files that are no language
Word = tuple[str, Pixels, float]


class TesseractOcr:
    """Languages that are asked for and not installed are left out, and said."""

    version: ClassVar[int] = 1

    def __init__(self, settings: ParseSettings) -> None:
        self._program = _program()
        wanted = settings.ocr_languages.split("+")
        there = installed_languages(self._program)
        self._languages = [language for language in wanted if language in there]
        self._missing = [language for language in wanted if language not in there]
        if not self._languages:
            self._languages = ["eng"] if "eng" in there else sorted(there)[:1]
        if not self._languages:
            raise Unavailable(
                f"tesseract has no language data for {settings.ocr_languages}: "
                f"apt-get install {' '.join(map(package_of, wanted))}"
            )

    @property
    def identity(self) -> str:
        """See `OcrEngine.identity`."""
        return f"tesseract {self._read_as}"

    @property
    def release(self) -> str:
        """See `OcrEngine.release`."""
        return _version(self._program)

    @property
    def notes(self) -> tuple[str, ...]:
        """See `OcrEngine.notes`."""
        if not self._missing:
            return ()
        return (
            f"OCR reads as {self._read_as}: tesseract has no data for {', '.join(self._missing)}: "
            f"apt-get install {' '.join(map(package_of, self._missing))}",
        )

    @property
    def _read_as(self) -> str:
        return "+".join(self._languages)

    def read(self, image: "Image", dpi: int) -> list[OcrLine]:
        """See `OcrEngine.read`."""
        rows = self._run(image, f"--psm 3 --dpi {dpi}", self._read_as, "image_to_data")
        found: list[OcrLine] = []
        for block, words in _lines(rows):
            found.extend(_cut(words, block))
        return found

    def turn(self, image: "Image") -> int | None:
        """See `OcrEngine.turn`."""
        try:
            told = self._run(image, "--psm 0", "osd", "image_to_osd")
        except ParseError:  # too few characters to tell
            return None
        pairs = dict(line.split(": ", 1) for line in told.splitlines() if ": " in line)
        turn = pairs.get("Rotate", "")
        return int(turn) if turn in ("0", "90", "180", "270") else None

    def _run(self, image: "Image", config: str, language: str, function: str) -> str:
        import pytesseract

        pytesseract.pytesseract.tesseract_cmd = self._program
        # A file without compression: PNG, which pytesseract would write, takes longer than some OCR.
        with tempfile.TemporaryDirectory(prefix="tesela-ocr-") as folder, _one_thread():
            file = Path(folder) / "page.ppm"
            image.convert("L" if image.mode in ("1", "L", "LA") else "RGB").save(file)
            try:
                told: str = getattr(pytesseract, function)(str(file), lang=language, config=config)
            except (pytesseract.TesseractError, UnicodeDecodeError) as error:
                reason = " ".join(str(error).split())[:160]
                raise ParseError(f"tesseract failed: {reason}") from error
        return told


def package_of(language: str) -> str:
    """The Debian package with a language's data."""
    return "tesseract-ocr-" + language.lower().replace("_", "-")


@functools.cache
def installed_languages(program: str) -> frozenset[str]:
    """The languages that a tesseract has data for.

    Raises:
        Unavailable: it does not answer.
    """
    lines = _ask(program, "--list-langs").splitlines()[1:]
    return frozenset(line.strip() for line in lines if line.strip()) - _NO_LANGUAGES


@functools.cache
def _version(program: str) -> str:
    words = _ask(program, "--version").split()
    return words[1] if len(words) > 1 else ""


def _program() -> str:
    program = shutil.which("tesseract")
    if program is None:
        raise Unavailable(f"tesseract is not installed: {INSTALL}")
    return program


def _ask(program: str, question: str) -> str:
    import subprocess

    try:
        done = subprocess.run(
            [program, question], capture_output=True, check=True, timeout=20, text=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"{program} does not work: {error}") from error
    return done.stdout


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Its threads wait for each other more than they help, most of all beside a second worker."""
    before = os.environ.get("OMP_THREAD_LIMIT")
    os.environ["OMP_THREAD_LIMIT"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_THREAD_LIMIT"]
        else:
            os.environ["OMP_THREAD_LIMIT"] = before


def _lines(table: str) -> Iterator[tuple[int, list[Word]]]:
    """The words of each line of tesseract's TSV, with a number for its paragraph."""
    blocks: dict[tuple[str, ...], int] = {}
    line: tuple[str, ...] = ()
    words: list[Word] = []
    for row in io.StringIO(table):
        fields = row.rstrip("\n").split("\t")
        if len(fields) != 12 or fields[0] != "5" or not fields[11].strip():
            continue
        if tuple(fields[2:5]) != line and words:
            yield blocks.setdefault(line[:2], len(blocks) + 1), words
            words = []
        line = tuple(fields[2:5])
        x, y, width, height = map(int, fields[6:10])
        words.append((fields[11].strip(), (x, y, x + width, y + height), float(fields[10]) / 100))
    if words:
        yield blocks.setdefault(line[:2], len(blocks) + 1), words


def _cut(words: list[Word], block: int) -> Iterator[OcrLine]:
    words = [word for word in words if word[2] >= MIN_CONFIDENCE]
    heights = sorted(box[3] - box[1] for _, box, _ in words)
    gap = WORD_GAP * heights[len(heights) // 2] if heights else 0.0
    cell: list[Word] = []
    for word in words:
        if cell and word[1][0] - cell[-1][1][2] > gap:
            yield _line(cell, block)
            cell = []
        cell.append(word)
    if cell:
        yield _line(cell, block)


def _line(words: list[Word], block: int) -> OcrLine:
    boxes = [box for _, box, _ in words]
    x0, y0 = min(b[0] for b in boxes), min(b[1] for b in boxes)
    x1, y1 = max(b[2] for b in boxes), max(b[3] for b in boxes)
    letters = sum(len(text) for text, _, _ in words)
    sure = sum(len(text) * confidence for text, _, confidence in words) / letters
    return OcrLine(" ".join(text for text, _, _ in words), (x0, y0, x1, y1), sure, block)
