"""Lines of a page from pdfium's characters."""

import ctypes
import math
from typing import Any

from ingest.parse.pdf.pages import Box, PdfLine, around
from ingest.parse.pdf.pdfium_objects import Frame

CELL_GAP = 1.5  # of a character's height, about three blanks
BOLD_WEIGHT = 700
_NAME_BYTES = 256


def lines_of(text: Any, frame: Frame) -> list[PdfLine]:
    """The lines of a text page, in the order of the file; cells of a table are lines of their own."""
    from pypdfium2 import raw

    line = _Line(text)
    lines: list[PdfLine] = []
    for i in range(text.count_chars()):
        code = raw.FPDFText_GetUnicode(text, i)
        box = _char_box(text, i, frame) if code > 32 else None
        if code in (10, 13) or (box is not None and line.far(box)):
            lines.extend(line.close())
        if code not in (10, 13):
            line.add(i, code, box)
    lines.extend(line.close())
    return lines


class _Line:
    """Gathers the characters of a line; a wide gap ends it, so that cells of a table stay apart."""

    def __init__(self, text: Any) -> None:
        self._text = text
        self._codes: list[int] = []
        self._boxes: list[Box] = []
        self._seen: list[int] = []  # indices of the characters that have a box

    def far(self, box: Box) -> bool:
        """Whether a character stands so far right of the last that it begins a new cell."""
        if not self._boxes:
            return False
        height = max(box[3] - box[1], self._boxes[-1][3] - self._boxes[-1][1], 4.0)
        level = min(box[3], self._boxes[-1][3]) > max(box[1], self._boxes[-1][1])
        return level and box[0] - self._boxes[-1][2] > CELL_GAP * height

    def add(self, index: int, code: int, box: Box | None) -> None:
        self._codes.append(code)
        if box is not None:
            self._boxes.append(box)
            self._seen.append(index)

    def close(self) -> list[PdfLine]:
        """The line so far, if it has text, and a fresh start."""
        # Characters beyond the first plane come as two surrogates.
        units = "".join(map(chr, self._codes)).encode("utf-16-le", "surrogatepass")
        text = units.decode("utf-16-le", "replace")
        boxes, seen = self._boxes, self._seen
        self._boxes, self._codes, self._seen = [], [], []
        if not text.strip() or not boxes:
            return []
        middle = seen[len(seen) // 2]
        bold = all(_is_bold(self._text, i) for i in {seen[0], middle, seen[-1]})
        return [PdfLine(text, around(boxes), _size(self._text, middle), bold)]


def _size(text: Any, index: int) -> float:
    """A character's size in points; many files write it into the matrix, with a font size of 1."""
    from pypdfium2 import raw

    size, matrix = float(raw.FPDFText_GetFontSize(text, index)), raw.FS_MATRIX()
    if raw.FPDFText_GetMatrix(text, index, matrix):
        size *= math.hypot(matrix.c, matrix.d)
    return round(size, 2)


def _is_bold(text: Any, index: int) -> bool:
    from pypdfium2 import raw

    if raw.FPDFText_GetFontWeight(text, index) >= BOLD_WEIGHT:
        return True
    name, flags = ctypes.create_string_buffer(_NAME_BYTES), ctypes.c_int()
    raw.FPDFText_GetFontInfo(text, index, name, _NAME_BYTES, flags)
    return b"bold" in name.value.lower()


def _char_box(text: Any, index: int, frame: Frame) -> Box | None:
    from pypdfium2 import raw

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not raw.FPDFText_GetCharBox(text, index, left, right, bottom, top):
        return None
    return frame.shown(left.value, bottom.value, right.value, top.value)
