"""Has the pages of a PDF that have no sound text read by OCR."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ingest.parse.ocr.layout import page_of
from ingest.parse.ocr.recognise import Recogniser
from ingest.parse.pdf.judge import doubt, is_bare
from ingest.parse.pdf.pages import PageImage, PdfEngine, PdfPage
from ingest.parse.wordlike import wording
from kb.errors import ParseError, Unavailable
from kb.settings import ParseSettings


@dataclass(frozen=True, slots=True)
class Read:
    """All pages, the best reading of each."""

    pages: tuple[PdfPage, ...]
    ocr_pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    obstacle: str = ""  # why bare pages were not read by OCR


def read_doubtful(
    pages: tuple[PdfPage, ...], data: bytes, engine: PdfEngine, settings: ParseSettings
) -> Read:
    """`pages`, those replaced that OCR reads better; what no one can read is left without blocks."""
    doubts = {page.number: why for page in pages if (why := doubt(page))}
    if not doubts:
        return Read(pages)
    try:
        recogniser = Recogniser(settings)
    except Unavailable as error:
        return _unread(pages, doubts, str(error))
    better: dict[int, PdfPage] = {}
    warnings: list[str] = []
    by_number = {page.number: page for page in pages}
    for drawn in _one_by_one(engine.draw(data, sorted(doubts), settings.ocr_dpi)):
        page = by_number[drawn.number]
        try:
            found = page_of(page.number, recogniser.read(drawn.image, drawn.dpi), drawn.dpi)
        except ParseError as error:
            warnings.append(f"page {page.number}: {error}")
        else:
            if _is_better(found, page):
                better[page.number] = replace(found, notes=page.notes)
    read = tuple(better.get(page.number, _without_glyphs(page)) for page in pages)
    if better:
        warnings.extend(recogniser.notes)
    return Read(read, tuple(sorted(better)), tuple(warnings))


def _one_by_one(pages: Iterator[PageImage]) -> Iterator[PageImage]:
    """Pages drawn under the lock of the library, but not held while one is read."""
    from ingest.parse.pdf.lock import ONE_AT_A_TIME

    while True:
        with ONE_AT_A_TIME:
            page = next(pages, None)
        if page is None:
            return
        yield page


def _is_better(found: PdfPage, page: PdfPage) -> bool:
    """Whether OCR gave more that reads like words than the page's own text does."""
    if is_bare(page):
        return bool(found.blocks)
    return wording(found.text).worth > wording(page.text).worth


def _unread(pages: tuple[PdfPage, ...], doubts: dict[int, str], obstacle: str) -> Read:
    odd = [n for n, why in doubts.items() if why != "no text"]
    warnings = [f"{listed(odd)}: {doubts[odd[0]]}; {obstacle}"] if odd else []
    return Read(tuple(map(_without_glyphs, pages)), (), tuple(warnings), obstacle)


def _without_glyphs(page: PdfPage) -> PdfPage:
    return replace(page, blocks=()) if page.blocks and is_bare(page) else page


def listed(numbers: Iterable[int]) -> str:
    """``page 3`` or ``pages 1-4, 7``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
    return f"page{'s' if sum(map(len, runs)) > 1 else ''} {shown}"
