"""What pdfium tells of a page besides its characters: its frame, drawings, forms and notes."""

import ctypes
from dataclasses import dataclass
from typing import Any

from ingest.parse.pdf.pages import TICKED, Box, Drawn, PdfField, PdfLine, PdfNote, covered

_INVISIBLE = 3  # a text's render mode


@dataclass(frozen=True, slots=True)
class Frame:
    """From the file's coordinates, from the bottom left, to those of the page as it is shown."""

    left: float
    bottom: float
    width: float  # as shown
    height: float
    rotation: int

    @classmethod
    def of(cls, page: Any) -> "Frame":
        """The frame of a page: what lies outside its crop box is not shown."""
        left, bottom, _, _ = page.get_bbox()
        width, height = page.get_size()
        return cls(left, bottom, width, height, page.get_rotation())

    def shown(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """A box from two corners."""
        ax, ay = self._turned(x0 - self.left, y0 - self.bottom)
        bx, by = self._turned(x1 - self.left, y1 - self.bottom)
        (x0, x1), (y0, y1) = sorted((ax, bx)), sorted((ay, by))
        return (round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        if self.rotation == 90:
            return y, x
        if self.rotation == 180:
            return self.width - x, y
        if self.rotation == 270:
            return self.width - y, self.height - x
        return x, self.height - y


def drawn_on(page: Any) -> Drawn:
    """Images, paths and invisible text."""
    from pypdfium2 import raw

    images: list[Box] = []
    paths = hidden = shown = 0
    for thing in page.get_objects():
        if thing.type == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(thing.get_bounds())
        elif thing.type in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING):
            paths += 1
        elif thing.type == raw.FPDF_PAGEOBJ_TEXT:
            invisible = raw.FPDFTextObj_GetTextRenderMode(thing) == _INVISIBLE
            hidden, shown = hidden + invisible, shown + (not invisible)
    return Drawn(covered(images, page.get_bbox()), paths, hidden > shown)


def fields_and_notes(
    page: Any, frame: Frame
) -> tuple[tuple[PdfField, ...], tuple[PdfNote, ...], tuple[PdfLine, ...]]:
    """The filled-in form, what readers noted, and text that annotations write on the page."""
    from pypdfium2 import raw

    fields: list[PdfField] = []
    notes: list[PdfNote] = []
    written: list[PdfLine] = []
    unread = {raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP, raw.FPDF_ANNOT_FILEATTACHMENT}
    for i in range(raw.FPDFPage_GetAnnotCount(page)):
        note = raw.FPDFPage_GetAnnot(page, i)
        if not note:
            continue
        try:
            kind, box = raw.FPDFAnnot_GetSubtype(note), _box(note, frame)
            text = _string(note, b"Contents").strip()
            if kind == raw.FPDF_ANNOT_WIDGET:
                fields.append(_field(note, box))
            elif kind == raw.FPDF_ANNOT_FREETEXT and text:
                written.append(PdfLine(" ".join(text.split()), box))
            elif text and kind not in unread:
                notes.append(PdfNote(text, box))
        finally:
            raw.FPDFPage_CloseAnnot(note)
    return tuple(fields), tuple(notes), tuple(written)


def _field(note: Any, box: Box) -> PdfField:
    value = _string(note, b"V").strip()
    if _string(note, b"FT") == "Btn":
        value = "" if _string(note, b"AS") in ("", "Off") else TICKED
    return PdfField(_string(note, b"T"), _string(note, b"TU"), value, box)


def _box(note: Any, frame: Frame) -> Box:
    from pypdfium2 import raw

    rect = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(note, rect)
    return frame.shown(rect.left, rect.bottom, rect.right, rect.top)


def _string(note: Any, key: bytes) -> str:
    from pypdfium2 import raw

    size = raw.FPDFAnnot_GetStringValue(note, key, None, 0)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    target = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort))
    raw.FPDFAnnot_GetStringValue(note, key, target, size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")
