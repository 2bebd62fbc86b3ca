"""Which blocks of a PDF are headings, by their font."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ingest.parse.pdf.pages import PdfBlock

MAX_CHARS = 200
MAX_LINES = 3
MIN_RATIO = 1.15  # of the body's size
MAX_LEVELS = 5


@dataclass(frozen=True, slots=True)
class HeadingSizes:
    """The body's font and the sizes of headings, largest first."""

    body: float = 0.0
    body_bold: bool = False
    sizes: tuple[float, ...] = ()

    @classmethod
    def of(cls, blocks: Iterable[PdfBlock]) -> "HeadingSizes":
        """Measured over all blocks of a document: the body is the size with most characters."""
        blocks = list(blocks)
        sizes: Counter[float] = Counter()
        bold = total = 0
        for line in (line for block in blocks for line in block.lines if line.size > 0):
            chars = len(line.text.strip())
            sizes[_rounded(line.size)] += chars
            total += chars
            bold += chars * line.bold
        if not sizes:
            return cls()
        body = max(sizes, key=lambda size: (sizes[size], -size))
        large = {_rounded(b.size) for b in blocks if _could_be(b) and b.size >= body * MIN_RATIO}
        return cls(body, bold * 2 > total, tuple(sorted(large, reverse=True)[:MAX_LEVELS]))

    def level(self, block: PdfBlock) -> int:
        """The heading level of a block, 0 for one that is none."""
        if self.body <= 0 or not _could_be(block):
            return 0
        size = _rounded(block.size)
        if block.size >= self.body * MIN_RATIO:
            return self.sizes.index(size) + 1 if size in self.sizes else len(self.sizes)
        text = block.lines[-1].text.strip()
        bold = len(block.lines) == 1 and block.lines[0].bold and not self.body_bold
        if bold and size >= self.body and len(text) < 100 and text[-1] not in ".:;,":
            return len(self.sizes) + 1
        return 0


def _rounded(size: float) -> float:
    return round(size * 2) / 2


def _could_be(block: PdfBlock) -> bool:
    if any(line.sideways for line in block.lines):
        return False
    text = " ".join(line.text.strip() for line in block.lines)
    letters = sum(c.isalpha() for c in text)
    return (
        len(block.lines) <= MAX_LINES
        and len(text) <= MAX_CHARS
        and letters > max(1, len(text) * 0.3)
    )
