"""Lines of a PDF to readable text."""

import re
import unicodedata
from collections.abc import Iterable

from ingest.parse.decode import replace_unsafe
from ingest.parse.pdf_pages import PdfBlock, PdfLine

LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
ACCENTS = {"´": "\u0301", "¨": "\u0308", "˜": "\u0303", "ˆ": "\u0302", "¸": "\u0327"}  # noqa: RUF001
_ACCENT = re.compile(r"([´¨˜ˆ¸]) ?([A-Za-zı])")  # noqa: RUF001
_BLANKS = re.compile(r"[ \t\xa0\u2000-\u200a\u3000]+")
_BROKEN_WORD = re.compile(r"[^\W\d_]{2,}[-\u2010\u00ad\ufffe\x02]$")
_HYPHENATED = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_CONTROL = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


def clean(text: str) -> str:
    """One line: ligatures opened, accents composed (NFC), blanks collapsed."""
    text = replace_unsafe(text).translate(LIGATURES)
    text = unicodedata.normalize("NFC", _ACCENT.sub(_composed, text))
    return _BLANKS.sub(" ", text).strip()


def hyphenated_words(lines: Iterable[str]) -> frozenset[str]:
    """Words with a hyphen inside a line, in lower case: these keep it at a line's end too."""
    return frozenset(word.lower() for line in lines for word in _HYPHENATED.findall(line))


def rows_of(block: PdfBlock) -> list[list[PdfLine]]:
    """The block's lines by visual row, pieces of one row from left to right."""
    rows: list[list[PdfLine]] = []
    for line in block.lines:
        if rows and _same_row(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.box[0]) for row in rows]


def block_text(block: PdfBlock, keep_hyphen: frozenset[str]) -> tuple[str, bool]:
    """The block's text, and whether it is a table: rows of cells, two or more in most rows."""
    rows = [
        [cell for line in row if (cell := _undoubled(clean(line.text)))] for row in rows_of(block)
    ]
    rows = [row for row in rows if row]
    if len(rows) > 1 and sum(len(row) > 1 for row in rows) > len(rows) / 2:
        return _CONTROL.sub("", "\n".join(" | ".join(row) for row in rows)), True
    text = ""
    for row in rows:
        text = join_lines(text, " ".join(row), keep_hyphen)
    return _CONTROL.sub("", text), False


def join_lines(text: str, line: str, keep_hyphen: frozenset[str]) -> str:
    """`text` and its next line; a word broken by a hyphen becomes whole.

    ``exem-`` and ``plo`` give ``exemplo``; a hyphen stays where the document writes the word with it
    elsewhere, or where the next line starts with a capital or a digit.
    """
    if not text:
        return line
    if not _BROKEN_WORD.search(text) or not line[:1].islower():
        return f"{text} {line}" if not text.endswith("-") or not line[:1].isalnum() else text + line
    head = re.findall(r"[^\W\d_]+$", text[:-1])[0]
    tail = re.findall(r"^[^\W\d_]+", line)
    word = f"{head}-{tail[0] if tail else ''}".lower()
    return (text if word in keep_hyphen else text[:-1]) + line


def without_echoes(block: PdfBlock) -> PdfBlock:
    """The block without lines drawn twice at one place, which is how some programs make bold."""
    kept: list[PdfLine] = []
    for line in block.lines:
        if not any(_echo(line, other) for other in kept[-4:]):
            kept.append(line)
    return PdfBlock(tuple(kept))


def _echo(a: PdfLine, b: PdfLine) -> bool:
    return a.text == b.text and all(abs(x - y) < 2.0 for x, y in zip(a.box, b.box, strict=True))


def _undoubled(line: str) -> str:
    """``BBOOLLDD`` to ``BOLD``: each letter was drawn twice."""
    letters = line.replace(" ", "")
    if len(letters) < 8 or len(letters) % 2 or letters[::2] != letters[1::2]:
        return line
    if len(set(letters)) < 3:
        return line  # a rule of dashes, a row of zeros
    return (
        " ".join(word[::2] for word in line.split())
        if all(len(word) % 2 == 0 and word[::2] == word[1::2] for word in line.split())
        else line
    )


def _same_row(a: PdfLine, b: PdfLine) -> bool:
    shared = min(a.box[3], b.box[3]) - max(a.box[1], b.box[1])
    apart = a.box[2] <= b.box[0] + 1 or b.box[2] <= a.box[0] + 1
    return apart and shared > 0.5 * min(a.box[3] - a.box[1], b.box[3] - b.box[1])


def _composed(match: re.Match[str]) -> str:
    letter = "i" if match.group(2) == "ı" else match.group(2)  # noqa: RUF001
    composed = unicodedata.normalize("NFC", letter + ACCENTS[match.group(1)])
    return composed if len(composed) == 1 else match.group(0)
