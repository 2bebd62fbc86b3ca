"""PDF pages by pymupdf (AGPL, an extra)."""

import importlib
import importlib.util
from typing import Any

from ingest.parse.pdf.pages import LOCKED, Box, PdfBlock, PdfFile, PdfLine, PdfPage, broken
from kb.errors import ParseError, Unavailable

_BOLD = 16  # bit of a span's flags


class PymupdfEngine:
    """Gives font sizes and weights, so that headings can be told."""

    def read(self, data: bytes) -> PdfFile:
        """See `PdfEngine.read`."""
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
            if document.needs_pass and not document.authenticate(""):
                raise ParseError(LOCKED)
            try:
                count = document.page_count
            except Exception as error:
                raise broken(error) from error
            pages = tuple(_page(document, i) for i in range(count))
            return PdfFile(pages, _info(document))


def _library() -> Any:
    return importlib.import_module("pymupdf")  # it has no types to check against


def _info(document: Any) -> dict[str, Any]:
    return {str(k).lower(): v for k, v in (document.metadata or {}).items() if v}


def _page(document: Any, index: int) -> PdfPage:
    pymupdf = _library()
    try:
        page = document[index]
        flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
        content = page.get_text("dict", flags=flags)
        matrix = page.rotation_matrix if page.rotation else None
        blocks = tuple(
            made
            for block in content["blocks"]
            if block["type"] == 0
            for made in _blocks(block, matrix)
        )
        image = not blocks and bool(page.get_images())
        return PdfPage(index + 1, page.rect.width, page.rect.height, blocks, has_image=image)
    except Exception as error:  # one bad page must not cost the others
        return PdfPage(index + 1, 0.0, 0.0, (), str(broken(error)))


def _blocks(block: dict[str, Any], matrix: Any) -> list[PdfBlock]:
    """A block, cut where the font size or the weight changes: a heading is a block of its own."""
    made: list[list[PdfLine]] = []
    for raw in block["lines"]:
        line = _line(raw, matrix)
        if line is None:
            continue
        if made and _same_style(made[-1][-1], line):
            made[-1].append(line)
        else:
            made.append([line])
    return [PdfBlock(tuple(lines)) for lines in made]


def _same_style(a: PdfLine, b: PdfLine) -> bool:
    return (abs(a.size - b.size) < 0.1 * max(a.size, b.size) and a.bold == b.bold) or _same_row(
        a, b
    )


def _same_row(a: PdfLine, b: PdfLine) -> bool:
    return min(a.box[3], b.box[3]) - max(a.box[1], b.box[1]) > 0.5 * (b.box[3] - b.box[1])


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
