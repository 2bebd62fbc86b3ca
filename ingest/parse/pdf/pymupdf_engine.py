"""PDF pages by pymupdf (AGPL, an extra)."""

import contextlib
import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from typing import Any

from ingest.parse.pdf.blocks import by_style
from ingest.parse.pdf.pages import (
    LOCKED,
    TICKED,
    Box,
    Drawn,
    PageImage,
    PdfBlock,
    PdfField,
    PdfFile,
    PdfLine,
    PdfNote,
    PdfPage,
    broken,
    covered,
    fitting_dpi,
)
from kb.errors import ParseError, Unavailable

_BOLD = 16  # bit of a span's flags
_NO_NOTE = {"FreeText", "Link", "Popup", "Widget", "FileAttachment"}  # FreeText is in the text


class PymupdfEngine:
    """Gives font sizes and weights, so that headings can be told."""

    def read(self, data: bytes) -> PdfFile:
        """See `PdfEngine.read`."""
        with _opened(data) as document:
            try:
                count = document.page_count
            except Exception as error:
                raise broken(error) from error
            pages = tuple(_page(document, i) for i in range(count))
            return PdfFile(pages, _info(document), _attached(document))

    def draw(
        self, data: bytes, numbers: Iterable[int], dpi: int, *, grey: bool = True
    ) -> Iterator[PageImage]:
        """See `PdfEngine.draw`."""
        from PIL import Image

        pymupdf = _library()
        colours = pymupdf.csGRAY if grey else pymupdf.csRGB
        with _opened(data) as document:
            for number in numbers:
                try:
                    page = document[number - 1]
                    fitting = fitting_dpi(page.rect.width, page.rect.height, dpi)
                    drawn = page.get_pixmap(dpi=fitting, colorspace=colours, alpha=False)
                except Exception:  # its errors have no common base
                    continue
                size = (drawn.width, drawn.height)
                image = Image.frombytes("L" if grey else "RGB", size, drawn.samples)
                yield PageImage(number, image, fitting)


@contextlib.contextmanager
def _opened(data: bytes) -> Iterator[Any]:
    if importlib.util.find_spec("pymupdf") is None:
        raise Unavailable(
            "PDF engine 'pymupdf' is not installed: uv sync --extra pymupdf (or: pip install "
            "'tesela[pymupdf]'), or set parse.pdf_engine = \"pypdfium2\""
        )
    pymupdf = _library()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except Exception as error:  # its errors have no common base
        raise broken(error) from error
    with document:
        if not document.is_pdf:  # it opens other formats whatever type it is told
            raise broken(ValueError("no PDF"))
        if document.needs_pass and not document.authenticate(""):
            raise ParseError(LOCKED)
        yield document


def _library() -> Any:
    return importlib.import_module("pymupdf")  # it has no types to check against


def _attached(document: Any) -> tuple[str, ...]:
    with contextlib.suppress(Exception):  # damaged; its errors have no common base
        return tuple(document.embfile_names())
    return ()


def _info(document: Any) -> dict[str, Any]:
    return {str(k).lower(): v for k, v in (document.metadata or {}).items() if v}


def _page(document: Any, index: int) -> PdfPage:
    pymupdf = _library()
    try:
        page = document[index]
        flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
        content = page.get_text("dict", flags=flags)
        matrix = page.rotation_matrix if page.rotation else None
        fields = tuple(_fields(page, matrix))
        blocks = tuple(
            made
            for block in content["blocks"]
            if block["type"] == 0
            for made in _blocks(block, matrix, fields)
        )
        return PdfPage(
            index + 1,
            page.rect.width,
            page.rect.height,
            blocks,
            drawn=_drawn(page),
            fields=fields,
            notes=tuple(_notes(page, matrix)),
        )
    except Exception as error:  # one bad page must not cost the others
        return PdfPage(index + 1, 0.0, 0.0, (), str(broken(error)))


def _drawn(page: Any) -> Drawn:
    images: list[Box] = []
    paths = hidden = shown = 0
    for kind, box in page.get_bboxlog():
        if "image" in kind or "imgmask" in kind:
            images.append(box)
        elif "path" in kind or "shade" in kind:
            paths += 1
        elif kind == "ignore-text":
            hidden += 1
        else:
            shown += 1
    x0, y0, x1, y1 = page.rect * page.derotation_matrix
    whole = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
    return Drawn(covered(images, whole), paths, hidden > shown)


def _fields(page: Any, matrix: Any) -> Iterator[PdfField]:
    for widget in page.widgets():
        value = str(widget.field_value or "").strip()
        if widget.field_type_string in ("CheckBox", "RadioButton"):
            value = "" if value in ("", "Off", "False") else TICKED
        elif widget.field_type_string in ("Button", "Signature"):
            value = ""
        name, label = str(widget.field_name or ""), str(widget.field_label or "")
        yield PdfField(name, label, value, _box(widget.rect, matrix))


def _notes(page: Any, matrix: Any) -> Iterator[PdfNote]:
    for note in page.annots():
        text = str(note.info.get("content") or "").strip()
        if text and note.type[1] not in _NO_NOTE:
            yield PdfNote(text, _box(note.rect, matrix))


def _blocks(block: dict[str, Any], matrix: Any, fields: tuple[PdfField, ...]) -> list[PdfBlock]:
    lines = [line for raw in block["lines"] if (line := _line(raw, matrix)) is not None]
    return by_style(
        line for line in lines if not any(f.value and _within(line.box, f.box) for f in fields)
    )


def _within(inner: Box, outer: Box) -> bool:
    """Whether a line is what a form's field shows."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def _line(raw: dict[str, Any], matrix: Any) -> PdfLine | None:
    spans = [span for span in raw["spans"] if span["text"]]
    text = "".join(span["text"] for span in spans)
    if not text.strip():
        return None
    largest = max(spans, key=lambda span: len(span["text"].strip()))
    bold = all(_is_bold(span) for span in spans if span["text"].strip())
    return PdfLine(text, _box(raw["bbox"], matrix), float(largest["size"]), bold)


def _is_bold(span: dict[str, Any]) -> bool:
    return bool(span["flags"] & _BOLD) or "bold" in span["font"].lower()


def _box(raw: tuple[float, float, float, float], matrix: Any) -> Box:
    rect = _library().Rect(raw) * matrix if matrix is not None else raw
    x0, y0, x1, y1 = (round(float(value), 2) for value in rect)
    return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
