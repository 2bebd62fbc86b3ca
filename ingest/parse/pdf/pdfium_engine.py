"""PDF pages by pypdfium2 (BSD and Apache): no font sizes, so no headings."""

import ctypes
from typing import Any

from ingest.parse.pdf.pages import LOCKED, Box, PdfBlock, PdfFile, PdfLine, PdfPage, around, broken
from kb.errors import ParseError

NEW_BLOCK_GAP = 0.8  # of a line's height
CELL_GAP = 1.5  # of a character's height, about three blanks


class PdfiumEngine:
    """Lines as pdfium cuts them, gathered into blocks by their distance."""

    def read(self, data: bytes) -> PdfFile:
        """See `PdfEngine.read`."""
        import pypdfium2

        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if getattr(error, "err_code", 0) == 4 or "password" in str(error).lower():
                raise ParseError(LOCKED) from error
            raise broken(error) from error
        try:
            pages = tuple(_page(document, i) for i in range(len(document)))
            info = {k.lower(): v for k, v in document.get_metadata_dict(skip_empty=True).items()}
            return PdfFile(pages, info)
        finally:
            document.close()


def _page(document: Any, index: int) -> PdfPage:
    import pypdfium2

    try:
        page = document[index]
    except pypdfium2.PdfiumError as error:
        return PdfPage(index + 1, 0.0, 0.0, (), str(broken(error)))
    try:
        width, height = page.get_size()
        text = page.get_textpage()
        try:
            lines = _lines(page, text)
        finally:
            text.close()
        image = not lines and _has_image(page)
        return PdfPage(index + 1, width, height, tuple(_gather(lines)), has_image=image)
    except pypdfium2.PdfiumError as error:
        return PdfPage(index + 1, 0.0, 0.0, (), str(broken(error)))
    finally:
        page.close()


def _has_image(page: Any) -> bool:
    from pypdfium2 import raw

    return next(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]), None) is not None


def _lines(page: Any, text: Any) -> list[PdfLine]:
    from pypdfium2 import raw

    line = _Line()
    lines: list[PdfLine] = []
    for i in range(text.count_chars()):
        code = raw.FPDFText_GetUnicode(text, i)
        box = _char_box(page, text, i) if code > 32 else None
        if code in (10, 13) or (box is not None and line.far(box)):
            lines.extend(line.close())
        if code not in (10, 13):
            line.add(code, box)
    lines.extend(line.close())
    return lines


class _Line:
    """Gathers the characters of a line; a wide gap ends it, so that cells of a table stay apart."""

    def __init__(self) -> None:
        self._codes: list[int] = []
        self._boxes: list[Box] = []

    def far(self, box: Box) -> bool:
        """Whether a character stands so far right of the last that it begins a new cell."""
        if not self._boxes:
            return False
        height = max(box[3] - box[1], self._boxes[-1][3] - self._boxes[-1][1], 4.0)
        level = min(box[3], self._boxes[-1][3]) > max(box[1], self._boxes[-1][1])
        return level and box[0] - self._boxes[-1][2] > CELL_GAP * height

    def add(self, code: int, box: Box | None) -> None:
        self._codes.append(code)
        if box is not None:
            self._boxes.append(box)

    def close(self) -> list[PdfLine]:
        """The line so far, if it has text, and a fresh start."""
        # Characters beyond the first plane come as two surrogates.
        raw = "".join(map(chr, self._codes)).encode("utf-16-le", "surrogatepass")
        text = raw.decode("utf-16-le", "replace")
        boxes, self._boxes, self._codes = self._boxes, [], []
        return [PdfLine(text, around(boxes))] if text.strip() and boxes else []


def _char_box(page: Any, text: Any, index: int) -> Box | None:
    """A character's box on the page as it is shown, from the top left."""
    from pypdfium2 import raw

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not raw.FPDFText_GetCharBox(text, index, left, right, bottom, top):
        return None
    width, height = page.get_size()
    corners = [(left.value, top.value), (right.value, bottom.value)]
    rotation = page.get_rotation()
    turned = [_turn(x, y, rotation, width, height) for x, y in corners]
    xs, ys = sorted(x for x, _ in turned), sorted(y for _, y in turned)
    return (round(xs[0], 2), round(ys[0], 2), round(xs[1], 2), round(ys[1], 2))


def _turn(x: float, y: float, rotation: int, width: float, height: float) -> tuple[float, float]:
    """PDF coordinates (from the bottom left, unturned) to those of the shown page."""
    if rotation == 90:
        return y, x
    if rotation == 180:
        return width - x, y
    if rotation == 270:
        return width - y, height - x
    return x, height - y


def _gather(lines: list[PdfLine]) -> list[PdfBlock]:
    blocks: list[list[PdfLine]] = []
    for line in lines:
        if blocks and _goes_on(blocks[-1][-1], line):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return [PdfBlock(tuple(block)) for block in blocks]


def _goes_on(above: PdfLine, line: PdfLine) -> bool:
    if above.sideways != line.sideways:
        return False
    tall = max(above.box[3] - above.box[1], line.box[3] - line.box[1])
    gap = line.box[1] - above.box[3]
    overlap = min(above.box[2], line.box[2]) - max(above.box[0], line.box[0])
    return -1.5 * tall < gap < NEW_BLOCK_GAP * tall and (overlap > 0 or gap < 0)
