"""What the PDF engines give: pages of blocks of lines, coordinates in points from the top left."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from kb.errors import ParseError

if TYPE_CHECKING:
    from PIL.Image import Image

Box = tuple[float, float, float, float]
LOCKED = "PDF locked by a password: save it without one"
TICKED = "[x]"  # the value of a box that is ticked
MAX_PIXELS = 40_000_000  # of a drawn page: A3 at 400 dpi; a larger page is drawn more coarsely


@dataclass(frozen=True, slots=True)
class PdfLine:
    """One line of one block; `size` is the font's in points, 0 where the engine gives none."""

    text: str
    box: Box
    size: float = 0.0
    bold: bool = False

    @property
    def sideways(self) -> bool:
        """Whether it runs up or down the page."""
        x0, y0, x1, y1 = self.box
        return len(self.text.strip()) > 3 and y1 - y0 > 2 * (x1 - x0)


@dataclass(frozen=True, slots=True)
class PdfBlock:
    """Lines that belong together."""

    lines: tuple[PdfLine, ...]

    @property
    def box(self) -> Box:
        """The smallest box around all lines."""
        return around([line.box for line in self.lines])

    @property
    def size(self) -> float:
        """Font size of the first line."""
        return self.lines[0].size


@dataclass(frozen=True, slots=True)
class PdfField:
    """A filled-in field of a form."""

    name: str
    label: str  # "" where the form gives none
    value: str
    box: Box


@dataclass(frozen=True, slots=True)
class PdfNote:
    """What a reader wrote on the page."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is on a page besides its text."""

    images: float = 0.0  # share of the page under images
    paths: int = 0  # lines and areas
    hidden: bool = False  # most of its text is invisible, as OCR programs leave it behind


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page as it is read: its own rotation applied, and then turned by `turn`."""

    number: int  # from 1
    width: float
    height: float
    blocks: tuple[PdfBlock, ...]
    error: str = ""  # why nothing could be read
    drawn: Drawn = Drawn()
    fields: tuple[PdfField, ...] = ()
    notes: tuple[PdfNote, ...] = ()
    turn: int = 0  # degrees clockwise that a sideways scan was turned

    @property
    def text(self) -> str:
        """All lines, as they come."""
        return "\n".join(line.text for block in self.blocks for line in block.lines)

    def shown(self, box: Box) -> Box:
        """A box of the page as it is read, on the page as it is shown."""
        x0, y0, x1, y1 = box
        if self.turn == 90:
            box = (y0, self.width - x1, y1, self.width - x0)
        elif self.turn == 180:
            box = (self.width - x1, self.height - y1, self.width - x0, self.height - y0)
        elif self.turn == 270:
            box = (self.height - y1, x0, self.height - y0, x1)
        x0, y0, x1, y1 = (round(value, 2) for value in box)
        return (x0, y0, x1, y1)


@dataclass(frozen=True, slots=True)
class PdfFile:
    """All pages and the info dictionary with lower-case keys."""

    pages: tuple[PdfPage, ...]
    info: dict[str, Any] = field(default_factory=dict)
    attached: tuple[str, ...] = ()  # names of the files within


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page as it is shown."""

    number: int
    image: "Image"
    dpi: int


class PdfEngine(Protocol):
    """Reads a PDF's text layer with one library; not safe to run in two threads at once."""

    def read(self, data: bytes) -> PdfFile:
        """All pages in order, blocks in the order in which the file draws them.

        Raises:
            ParseError: the file is locked or broken.
            Unavailable: the library is not installed.
        """
        ...

    def draw(
        self, data: bytes, numbers: Iterable[int], dpi: int, *, grey: bool = True
    ) -> Iterator[PageImage]:
        """Pages by their numbers, which `read` gave, one at a time; what cannot be drawn is left out.

        A page that would have more than `MAX_PIXELS` is drawn at a lower resolution. Raises as
        `read` does.
        """
        ...


def fitting_dpi(width: float, height: float, dpi: int) -> int:
    """The resolution at which a page, in points, has at most `MAX_PIXELS`."""
    most = (MAX_PIXELS / max(1.0, width * height)) ** 0.5 * 72
    return max(1, min(dpi, int(most)))


def covered(boxes: Iterable[Box], page: Box) -> float:
    """The share of a page that lies under boxes, overlaps counted twice, at most 1."""
    x0, y0, x1, y1 = page
    area = sum(
        max(0.0, min(b[2], x1) - max(b[0], x0)) * max(0.0, min(b[3], y1) - max(b[1], y0))
        for b in boxes
    )
    whole = (x1 - x0) * (y1 - y0)
    return min(1.0, area / whole) if whole > 0 else 0.0


def around(boxes: list[Box]) -> Box:
    """The smallest box around `boxes` (at least one)."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def broken(error: Exception) -> ParseError:
    """The error for a file that an engine cannot open."""
    reason = " ".join(str(error).split())[:120]
    return ParseError(f"broken PDF: {reason or type(error).__name__}")
