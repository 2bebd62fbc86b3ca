"""``tesela ingest --compare``: one file read in every way."""

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import say
from cli.workspace import Workspace
from kb.errors import UsageError
from kb.location import Location

if TYPE_CHECKING:
    from ingest.describe.describer import Describer
    from query.multimodal.compare import WayRead

EXCERPT = 200  # characters


def compare_file(workspace: Workspace, file: Path, question: str, as_json: bool) -> None:
    """Print what each way makes of a file and finds for a question; nothing is stored.

    Raises:
        UsageError: it cannot be opened, or has no pages.
    """
    from ingest.look.shown import WITH_PAGES
    from ingest.parse.choose import parser_for
    from ingest.parsing import bytes_of
    from query.multimodal.compare import compare

    data = bytes_of(file)
    parser = parser_for(data, file.name, workspace.settings.parse)
    if parser not in WITH_PAGES:
        raise UsageError(f"{file} is read in one way only: --compare is for PDF and images")
    with _describer(workspace) as describer:
        settings, embedder = workspace.settings, workspace.embedder
        found = list(compare(data, parser, settings, embedder, question, describer))
    told = _pixels(data, parser, workspace, question, found) if question else ""
    if as_json:
        say.data_json({"file": str(file), "question": question, "needs_pixels": told,
                       "ways": [_record(way) for way in found]})  # fmt: skip
        return
    for way in found:
        _print(way, file)
    if question:
        say.data(f"pixels: {told or _not_needed(question)}")


@contextlib.contextmanager
def _describer(workspace: Workspace) -> "Iterator[Describer | None]":
    """Of the LLM that the settings name; outside a KB its answers are kept until the end only."""
    from cli.llm import asking
    from ingest.describe.describer import Describer

    with tempfile.TemporaryDirectory(prefix="tesela-") as folder:
        if not workspace.location.folder.is_dir() or workspace.location.folder == Path():
            workspace = replace(workspace, location=Location(Path(folder)))
        with asking(workspace) as llm:
            yield None if llm is None else Describer(llm, workspace.settings.llm.model)


def _pixels(
    data: bytes, parser: str, workspace: Workspace, question: str, found: "list[WayRead]"
) -> str:
    """Why the best page has to be looked at, or any other page where the question asks for a picture."""
    from ingest.look.pages import open_pages, pictured
    from ingest.look.pixels import asks_for_pixels, needs_pixels

    pages = open_pages(data, parser, workspace.settings.parse).pages
    extract = found[0]
    best = [way.best.page for way in found if way.best is not None]
    others = range(1, len(pages) + 1) if asks_for_pixels(question) or not best else ()
    for number in dict.fromkeys([*best[:1], *others]):
        known = extract.known.get(number, 0)
        page = pictured(pages[number - 1], known, has_table=number in extract.tables)
        why = needs_pixels(question, page)
        if why:
            return f"{why} (tesela inspect FILE --page {number} -o page.png)"
    return ""


def _not_needed(question: str) -> str:
    from ingest.look.pixels import asks_for_pixels

    asked = asks_for_pixels(question)
    if asked:
        return f"of no use: the question asks for a {asked!r}, and no page has a picture"
    return "not needed, as far as text and layout tell"


def _record(way: "WayRead") -> dict[str, Any]:
    best = way.best
    return {
        "way": way.way,
        "seconds": round(way.seconds, 3),
        "pages": way.pages,
        "ocr_pages": way.ocr_pages,
        "characters": way.characters,
        "chunks": way.chunks,
        "llm_calls": way.llm_calls,
        "warnings": list(way.warnings),
        "error": way.error or None,
        "best": {"score": best.score, "page": best.page, "text": best.text} if best else None,
    }


def _print(way: "WayRead", file: Path) -> None:
    if way.error:
        say.data(f"{way.way}: {way.error}")
        return
    by_ocr = f", {way.ocr_pages} by OCR" if way.ocr_pages else ""
    say.data(
        f"{way.way}: {say.count(way.pages, 'page')}{by_ocr}, {way.characters:,} characters in "
        f"{say.count(way.chunks, 'chunk')}, {say.count(way.llm_calls, 'LLM call')}, "
        f"{way.seconds:.1f} s"
    )
    for warning in way.warnings:
        say.data(f"  {warning}")
    if way.best is not None:
        excerpt = " ".join(way.best.text.split())[:EXCERPT]
        say.data(f"  best ({way.best.score:.2f}), page {way.best.page}: {excerpt}")
        if way.way == "tools":
            say.data(f"  then: tesela inspect {say.in_line(str(file))} --page {way.best.page}")
