"""PDF pages by pypdfium2 (BSD and Apache)."""

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from ingest.parse.pdf.blocks import by_style
from ingest.parse.pdf.gather import gather
from ingest.parse.pdf.pages import (
    LOCKED,
    PageImage,
    PdfBlock,
    PdfFile,
    PdfPage,
    broken,
    fitting_dpi,
)
from ingest.parse.pdf.pdfium_lines import lines_of
from ingest.parse.pdf.pdfium_objects import Frame, drawn_on, fields_and_notes
from kb.errors import ParseError


class PdfiumEngine:
    """Lines as pdfium cuts them, gathered into blocks by their distance."""

    def read(self, data: bytes) -> PdfFile:
        """See `PdfEngine.read`."""
        with _opened(data) as document:
            pages = tuple(_page(document, i) for i in range(len(document)))
            info = {k.lower(): v for k, v in document.get_metadata_dict(skip_empty=True).items()}
            return PdfFile(pages, info, _attached(document))

    def draw(
        self, data: bytes, numbers: Iterable[int], dpi: int, *, grey: bool = True
    ) -> Iterator[PageImage]:
        """See `PdfEngine.draw`."""
        import pypdfium2

        with _opened(data) as document:
            document.init_forms()  # else their fields are not drawn
            for number in numbers:
                try:
                    page = document[number - 1]
                except pypdfium2.PdfiumError:
                    continue
                try:
                    width, height = page.get_size()
                    fitting = fitting_dpi(width, height, dpi)
                    image = page.render(scale=fitting / 72, grayscale=grey).to_pil()
                except (pypdfium2.PdfiumError, MemoryError):
                    continue
                finally:
                    page.close()
                yield PageImage(number, image.convert("L" if grey else "RGB"), fitting)


@contextlib.contextmanager
def _opened(data: bytes) -> Iterator[Any]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", 0) == 4 or "password" in str(error).lower():
            raise ParseError(LOCKED) from error
        raise broken(error) from error
    try:
        yield document
    finally:
        document.close()


def _page(document: Any, index: int) -> PdfPage:
    import pypdfium2

    try:
        page = document[index]
    except pypdfium2.PdfiumError as error:
        return PdfPage(index + 1, 0.0, 0.0, (), str(broken(error)))
    try:
        frame = Frame.of(page)
        text = page.get_textpage()
        try:
            lines = lines_of(text, frame)
        finally:
            text.close()
        blocks = [made for block in gather(lines) for made in by_style(block.lines)]
        fields, notes, written = fields_and_notes(page, frame)
        blocks += [PdfBlock((line,)) for line in written]
        return PdfPage(
            index + 1, frame.width, frame.height, tuple(blocks), "", drawn_on(page), fields, notes
        )
    except pypdfium2.PdfiumError as error:
        return PdfPage(index + 1, 0.0, 0.0, (), str(broken(error)))
    finally:
        page.close()


def _attached(document: Any) -> tuple[str, ...]:
    import pypdfium2

    with contextlib.suppress(pypdfium2.PdfiumError):
        count = range(document.count_attachments())
        return tuple(document.get_attachment(i).get_name() for i in count)
    return ()
