"""What every OCR engine promises."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

from kb.settings import ParseSettings

if TYPE_CHECKING:
    from PIL.Image import Image

Pixels = tuple[float, float, float, float]  # x0, y0, x1, y1 from the top left


@dataclass(frozen=True, slots=True)
class OcrLine:
    """Words that stand in one line without a wide gap."""

    text: str
    box: Pixels
    confidence: float  # 0 to 1
    block: int  # lines of one paragraph share it; 0 where the engine does not tell


class OcrEngine(Protocol):
    """Reads upright images."""

    version: ClassVar[int]  # raised when the result for the same image changes

    def __init__(self, settings: ParseSettings) -> None:
        """Find the engine; cheap.

        Raises:
            Unavailable: it is not installed; the message says how to install it.
        """
        ...

    @property
    def identity(self) -> str:
        """Which engine with which languages: another one would read other text."""
        ...

    @property
    def release(self) -> str:
        """The version of the program behind it."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user asked for and cannot have, e.g. a language that is not installed."""
        ...

    def read(self, image: "Image", dpi: int) -> list[OcrLine]:
        """The lines of an RGB or grey image, best guess of their order; none for a blank one.

        Raises:
            ParseError: the engine failed on this image.
        """
        ...

    def turn(self, image: "Image") -> int | None:
        """Degrees (0, 90, 180, 270) to turn the image clockwise to make it upright; None: no idea."""
        ...
