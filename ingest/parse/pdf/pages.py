"""What the PDF engines give: pages of blocks of lines, coordinates in points from the top left."""

from dataclasses import dataclass, field
from typing import Any, Protocol

from kb.errors import ParseError

Box = tuple[float, float, float, float]
LOCKED = "locked by a password"


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
class PdfPage:
    """One page as it is read, rotation applied."""

    number: int  # from 1
    width: float
    height: float
    blocks: tuple[PdfBlock, ...]
    error: str = ""  # why nothing could be read
    has_image: bool = False


@dataclass(frozen=True, slots=True)
class PdfFile:
    """All pages and the info dictionary with lower-case keys."""

    pages: tuple[PdfPage, ...]
    info: dict[str, Any] = field(default_factory=dict)


class PdfEngine(Protocol):
    """Reads a PDF's text layer with one library; not safe to run in two threads at once."""

    def read(self, data: bytes) -> PdfFile:
        """All pages in order, blocks in the order in which the file draws them.

        Raises:
            ParseError: the file is locked or broken.
            Unavailable: the library is not installed.
        """
        ...


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
