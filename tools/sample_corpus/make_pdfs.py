"""Makes the PDFs of the sample corpus from the plain text beside this script.

Run it with ``uv run python tools/sample_corpus/make_pdfs.py``. A text's name says where its PDF
goes: ``manuals__t40-turbine.txt`` becomes ``manuals/t40-turbine.pdf``. The same version of pymupdf
writes the same bytes each time: no dates and no random ids go into the file.
"""

from dataclasses import dataclass
from pathlib import Path

import pymupdf

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "sample_corpus" / "docs"

WIDTH, HEIGHT, MARGIN = 595, 842, 64
BODY_SIZE, SMALL_SIZE = 11, 8
HEADING_SIZES = {"#": 18, "##": 14, "###": 12}
LEADING = 1.35


@dataclass(frozen=True)
class Source:
    """What one text file asks for."""

    title: str
    header: str
    footer: str
    blocks: tuple[str, ...]


def read_source(path: Path) -> Source:
    """Reads ``title:``, ``header:`` and ``footer:`` lines, then blocks parted by blank lines.

    Raises:
        KeyError: one of the three lines is missing.
    """
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    blocks = tuple(block.strip() for block in body.split("\n\n") if block.strip())
    return Source(fields["title"], fields["header"], fields["footer"], blocks)


def wrap(text: str, size: float, font: pymupdf.Font) -> list[str]:
    """Cuts a paragraph into lines that fit between the margins at this font size, in points."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.text_length(longer, fontsize=size) > WIDTH - 2 * MARGIN and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class Writer:
    """Fills pages from the top; each page carries the header, the footer and its number."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.document = pymupdf.open()
        self.new_page()

    def new_page(self) -> None:
        """Opens a page and writes what every page carries."""
        self.page = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.y = float(MARGIN + 24)
        self.put(self.source.header, SMALL_SIZE, 40)
        self.put(f"{self.source.footer} - {self.document.page_count}", SMALL_SIZE, HEIGHT - 36)

    def put(self, text: str, size: float, y: float, font: str = "helv") -> None:
        """Writes one line with its baseline at height y, in points from the top."""
        self.page.insert_text((MARGIN, y), text, fontsize=size, fontname=font)

    def block(self, text: str) -> None:
        """Writes a heading or a paragraph; a block is broken between lines, a heading never."""
        marks, _, rest = text.partition(" ")
        heading = marks in HEADING_SIZES
        size = HEADING_SIZES.get(marks, BODY_SIZE)
        font = "hebo" if heading else "helv"
        lines = wrap(rest if heading else text, size, pymupdf.Font(font))
        room_after = 4 * BODY_SIZE if heading else 0
        for line in lines:
            if self.y + size + room_after > HEIGHT - MARGIN:
                self.new_page()
            self.put(line, size, self.y + size, font)
            self.y += size * LEADING
        self.y += size * 0.6

    def save(self, path: Path) -> None:
        """Writes the file without anything that changes from run to run."""
        self.document.set_metadata({"title": self.source.title})
        path.parent.mkdir(parents=True, exist_ok=True)
        self.document.save(path, garbage=4, deflate=True, no_new_id=True)


def make(source_path: Path, docs: Path) -> Path:
    """Makes one PDF under ``docs`` and returns its path."""
    target = docs / f"{source_path.stem.replace('__', '/')}.pdf"
    writer = Writer(read_source(source_path))
    for block in writer.source.blocks:
        writer.block(block)
    writer.save(target)
    return target


def main() -> None:
    """Makes all of them."""
    for source_path in sorted((HERE / "text").glob("*.txt")):
        print(make(source_path, DOCS).relative_to(DOCS))


if __name__ == "__main__":
    main()
