"""What reading each file of a KB came to, whenever it was read."""

from collections.abc import Iterator
from dataclasses import dataclass

from kb.records import Document, Reading
from kb.store import FileRow, Store


@dataclass(frozen=True, slots=True)
class FileReading:
    """One file; one that could not be read has an error, and no reading unless it was read before."""

    path: str
    parser: str
    error: str
    reading: Reading | None


def file_readings(store: Store, prefixes: list[str] | None = None) -> Iterator[FileReading]:
    """All files by path, or those whose written path is one of `prefixes` or lies under one."""
    noted = store.readings()
    for row in store.files():
        if prefixes is None or any(_under(row.path, prefix) for prefix in prefixes):
            yield FileReading(row.path, row.parser, row.error, _reading(store, row, noted))


def _reading(store: Store, row: FileRow, noted: dict[str, Reading]) -> Reading | None:
    if not row.parse_key:
        return None
    return noted.get(row.parse_key) or reading_of(store.documents(row.parse_key))


def reading_of(parts: Iterator[Document]) -> Reading:
    """What a document that is there already must have come to; nobody took the time."""
    first = next(parts)
    elements, characters, last_page = 0, 0, 0
    part: Document | None = first
    while part is not None:
        elements += len(part.elements)
        characters += len(part.text)
        last_page = max((last_page, *(element.page or 0 for element in part.elements)))
        part = next(parts, None)
    return Reading(
        first.pages or last_page,
        elements,
        characters,
        first.language,
        first.ocr_pages,
        first.warnings,
    )


def _under(path: str, prefix: str) -> bool:
    if prefix == ".":
        return not path.startswith("/")
    return path == prefix or path.startswith(prefix.rstrip("/") + "/")
