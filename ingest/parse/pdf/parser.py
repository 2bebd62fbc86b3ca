"""PDF by page: its text layer, or what OCR reads where that is missing or broken."""

from typing import Any, ClassVar

from ingest import language
from ingest.parse.card import card_of
from ingest.parse.decode import replace_unsafe
from ingest.parse.pdf.build import build, opening
from ingest.parse.pdf.forms import with_fields
from ingest.parse.pdf.lock import ONE_AT_A_TIME
from ingest.parse.pdf.pages import PdfEngine, PdfFile, PdfPage
from ingest.parse.pdf.with_ocr import Read, listed, read_doubtful
from ingest.parse.titles import first_title, placeholder, sensible
from kb.errors import ParseError
from kb.records import Document
from kb.settings import ParseSettings

INFO = {
    "title": "title",
    "author": "author",
    "subject": "description",
    "keywords": "keywords",
    "creationdate": "date",
    "moddate": "modified",
}
_LATER = "left to 'tesela inspect'"
MAX_NAMES = 5  # of attached files that a warning lists


class PdfParser:
    """Text in reading order; each element has its page and its box in points from the top left.

    Repeated page headers and footers are left out, words broken at line ends are made whole.
    Headings are guessed from font sizes, so that a page read by OCR has none.
    """

    version: ClassVar[int] = 2

    def __init__(self, settings: ParseSettings) -> None:
        self.settings = settings

    def parse(self, data: bytes, name: str) -> Document:
        """See `ingest.parse.base.Parser.parse`.

        Raises:
            ParseError: empty, broken, locked, or no page has text.
            Unavailable: the engine is not installed.
        """
        if not data:
            raise ParseError("the file is empty")
        engine = engine_of(self.settings)
        with ONE_AT_A_TIME:
            file = engine.read(data)
        if not file.pages:
            raise ParseError("broken PDF: no pages")
        pages = tuple(map(with_fields, file.pages))
        if self.settings.multimodal == "tools":
            bare = tuple(
                page.number for page in pages if not page.blocks and _shows_something(page)
            )
            return card_of(_document(Read(pages, obstacle=_LATER), file, name), bare)
        read = read_doubtful(pages, data, engine, self.settings)
        document = _document(read, file, name)
        seen = self.settings.multimodal == "native" and any(map(_shows_something, pages))
        if not document.elements and not seen:
            raise _no_text(read, file)
        return document


def _document(read: Read, file: PdfFile, name: str) -> Document:
    built = build(read.pages)
    text, metadata = built.text, _metadata(file.info)
    return Document(
        text=text,
        elements=tuple(built.elements),
        title=first_title(map(sensible, (metadata.get("title"), *opening(built))), name),
        language=language.detect(text),
        metadata=metadata,
        warnings=tuple(_warnings(read, file)),
        verbatim=False,
        pages=len(file.pages),
        ocr_pages=read.ocr_pages,
    )


def engine_of(settings: ParseSettings) -> PdfEngine:
    """The engine that the settings name; whether its library is there is seen when it reads."""
    if settings.pdf_engine == "pypdfium2":
        from ingest.parse.pdf.pdfium_engine import PdfiumEngine

        return PdfiumEngine()
    from ingest.parse.pdf.pymupdf_engine import PymupdfEngine

    return PymupdfEngine()


def _metadata(info: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in info.items():
        text = replace_unsafe(" ".join(str(value).split()))
        if key in INFO and not placeholder(text):
            found[INFO[key]] = _iso_date(text) if INFO[key] in ("date", "modified") else text
    return found


def _iso_date(raw: str) -> str:
    """``D:20240501093000+02'00'`` to ``2024-05-01``; anything else stays as it is."""
    digits = raw.removeprefix("D:")[:8]
    if len(digits) == 8 and digits.isascii() and digits.isdigit():
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
    return raw


def _warnings(read: Read, file: PdfFile) -> list[str]:
    found = [f"page {page.number}: {page.error}" for page in file.pages if page.error]
    empty = [page for page in read.pages if not page.blocks and not page.error]
    blank = [page.number for page in empty if not _shows_something(page)]
    bare = [page.number for page in empty if _shows_something(page)]
    if blank:
        found.append(f"{listed(blank)}: no text")
    if bare:
        found.append(f"{listed(bare)}: no text, {read.obstacle or 'and OCR found none'}")
    found.extend(read.warnings)
    if file.attached:
        names = ", ".join(file.attached[:MAX_NAMES])
        more = len(file.attached) - MAX_NAMES
        names += f" and {more} more" if more > 0 else ""
        found.append(f"files attached to it are not read: {replace_unsafe(names)}")
    return found


def _shows_something(page: PdfPage) -> bool:
    return bool(page.drawn.images or page.drawn.paths)


def _no_text(read: Read, file: PdfFile) -> ParseError:
    said = f"no text on any of {len(file.pages)} pages"
    errors = [page.error for page in file.pages if page.error]
    if errors:
        return ParseError(f"{said}: {errors[0]}")
    if read.obstacle:
        return ParseError(f"{said}, {read.obstacle}")
    if any(map(_shows_something, file.pages)):
        return ParseError("; ".join((f"{said}, and OCR found none", *read.warnings)))
    return ParseError(said)
