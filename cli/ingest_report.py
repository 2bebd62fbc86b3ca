"""Prints ``tesela ingest --report``."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import say
from kb.location import Location

if TYPE_CHECKING:
    from ingest.report import FileReading
    from kb.store import Store


def print_report(
    location: Location, store: "Store", paths: list[Path] | None, form: str | None
) -> None:
    """One line or record for each file, or for each under `paths`."""
    from ingest.report import file_readings

    prefixes = None if not paths else [location.written(path) for path in paths]
    found = list(file_readings(store, prefixes))
    if (form or ("table" if sys.stdout.isatty() else "json")) == "json":
        say.data_json([_record(file) for file in found])
    else:
        _print_table(found)


def _record(file: "FileReading") -> dict[str, Any]:
    read = file.reading
    return {
        "path": file.path,
        "parser": file.parser or None,
        "pages": read.pages if read else None,
        "elements": read.elements if read else None,
        "characters": read.characters if read else None,
        "language": read.language if read else None,
        "ocr_pages": list(read.ocr_pages) if read else [],
        "warnings": list(read.warnings) if read else [],
        "seconds": read.seconds if read else None,
        "error": file.error or None,
    }


def _print_table(found: Iterable["FileReading"]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("file", overflow="fold", ratio=1)
    table.add_column("parser")
    for name in ("pages", "OCR", "elem.", "chars"):
        table.add_column(name, justify="right")
    table.add_column("lang")
    table.add_column("s", justify="right")
    for file in found:
        table.add_row(Text(say.in_line(file.path)), *_cells(file))
        read = file.reading
        for warning in read.warnings if read else ():
            table.add_row(Text(f"  warning: {say.in_line(warning)}", style="yellow"))
        if file.error:
            table.add_row(Text(f"  failed: {say.in_line(file.error)}", style="red"))
    Console(highlight=False).print(table)


def _cells(file: "FileReading") -> list[str]:
    read = file.reading
    if read is None:
        return [file.parser]
    return [
        file.parser,
        f"{read.pages:,}" if read.pages else "",
        f"{len(read.ocr_pages):,}" if read.ocr_pages else "",
        f"{read.elements:,}",
        f"{read.characters:,}",
        read.language,
        "" if read.seconds is None else f"{read.seconds:.2f}",
    ]
