"""``tesela show DOC --elements``: what was read of a file, which is what the index sees."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import say
from cli.filtering import filter_of, names_for
from cli.workspace import Workspace, looking
from kb.errors import UsageError

if TYPE_CHECKING:
    from index.files import IndexedFile
    from ingest.elements import Placed
    from kb.records import Document, Reading
    from kb.store import Store


def show_reading(
    workspace: Workspace, what: str, page: int | None, form: str, principal: str | None
) -> None:
    """Print the elements of a file, all or those of a page, as the last run read them.

    Raises:
        UsageError: no such file was read (or it is closed to who asks), or it has no such page.
    """
    from ingest.elements import placed_elements
    from ingest.report import reading_of

    with looking(workspace) as store:
        file = _file(workspace, store, what, principal)
        key = file.parse_key
        first = next(store.documents(key))
        reading = store.readings().get(key) or reading_of(store.documents(key))
        if page is not None:
            _check_page(file.path, page, reading.pages)
        placed = (
            item
            for item in placed_elements(store.documents(key))
            if page is None or item.element.page == page
        )
        if form == "json":
            say.data_json(_record(file, first, reading, placed))
        else:
            _print(file, reading, placed, page)


def _file(workspace: Workspace, store: "Store", what: str, principal: str | None) -> "IndexedFile":
    """The file of that name, as if what may not be read were not there.

    Its rights are those that its text of now asks for, and those that the index knows.
    """
    from index.chunk_table import DocumentEntry
    from index.files import about_file, read_files
    from query.filter.rights import may_read

    written = {what, workspace.location.written(Path(what))}
    asked = filter_of(workspace.settings, principal=principal)
    open_to = may_read(asked.acl, asked.principal)
    for file in read_files(store):
        if file.path not in written:
            continue
        entry = DocumentEntry(file.path, "", "", "", "", 0, about_file(store, file))
        if open_to(entry) and names_for(workspace, principal)(file.path):
            return file
    raise UsageError(
        f"{what!r} is no file that was read: 'tesela status' and 'tesela failures' tell which were"
    )


def _check_page(path: str, page: int, pages: int) -> None:
    if not pages:
        raise UsageError(f"{path} has no pages: --elements prints all that was read of it")
    if not 1 <= page <= pages:
        raise UsageError(f"{path} has {say.count(pages, 'page')}: there is no page {page}")


def _record(
    file: "IndexedFile", first: "Document", reading: "Reading", placed: Iterable["Placed"]
) -> dict[str, Any]:
    return {
        "path": file.path,
        "parser": file.parser,
        "title": first.title,
        "language": first.language,
        "pages": reading.pages,
        "ocr_pages": list(reading.ocr_pages),
        "warnings": list(reading.warnings),
        "metadata": first.metadata,
        "elements": [
            {
                "kind": item.element.kind,
                "level": item.element.level,
                "heading": list(item.element.heading),
                "page": item.element.page,
                "lines": item.lines,
                "bbox": item.element.bbox,
                "text": item.text,
            }
            for item in placed
        ],
    }


def _print(
    file: "IndexedFile", reading: "Reading", placed: Iterator["Placed"], page: int | None
) -> None:
    pages = f"{say.count(reading.pages, 'page')}, " if reading.pages else ""
    say.data(
        f"# {say.in_line(file.path)}: {file.parser}, {pages}{say.count(reading.elements, 'element')}, "
        f"{say.count(reading.characters, 'character')}, {reading.language or 'unknown'}"
    )
    for warning in reading.warnings:
        say.data(f"# warning: {say.in_line(warning)}")
    count = 0
    for count, item in enumerate(placed, 1):  # noqa: B007  (it is looked at after the loop)
        say.data(f"\n{_place(item)}\n{item.text}")
    if not count:
        say.note("nothing was read" + (f" on page {page}" if page else ""))


def _place(item: "Placed") -> str:
    """``[heading 2] page 3, lines 4-5, box 72 90 301 104, in Uso › Bombas``."""
    element = item.element
    kind = f"{element.kind} {element.level}" if element.level else element.kind
    around = element.heading[:-1] if element.kind == "heading" else element.heading
    where = [
        f"page {element.page}" if element.page else "",
        f"lines {item.lines[0]}-{item.lines[1]}" if item.lines else "",
        "box " + " ".join(f"{x:.0f}" for x in element.bbox) if element.bbox else "",
        "in " + say.in_line(" › ".join(around)) if around else "",
    ]
    return f"[{kind}] " + ", ".join(filter(None, where))
