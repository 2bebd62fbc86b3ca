from typing import Any

import pytest

from kb.records import Chunk, Document, Element
from kb.registry import load, names
from kb.settings import ContextSettings
from tests.chunking import document, tokenizer

DOC = document(
    ("heading", "# Manual", 1), ("paragraph", "Intro."),
    ("heading", "## Red", 2), ("paragraph", "Cables."),
    ("heading", "### Wi-Fi", 3), ("paragraph", "Claves."),
)  # fmt: skip


def chunk(first: int, last: int, doc: Document = DOC) -> Chunk:
    """Elements `first` to `last` as a chunk, with the heading path of the first."""
    start, end = doc.elements[first].start, doc.elements[last].end
    heading = doc.elements[first].heading
    return Chunk("", "", "", start, end, doc.text[start:end], heading=heading)


def context(
    item: Chunk, title: str = "", limit: int = 64, metadata: dict[str, Any] | None = None
) -> str:
    doc = Document(DOC.text, DOC.elements, title, metadata=metadata or {})
    made = load("contextualizer", "structural")(ContextSettings(max_tokens=limit), tokenizer())
    (line,) = made.contexts(doc, [item])
    return str(line)


def test_title_and_path_without_repeats() -> None:
    assert context(chunk(5, 5), "Guía") == "Guía > Manual > Red > Wi-Fi"
    assert context(chunk(5, 5), "Manual") == "Manual > Red > Wi-Fi"
    assert context(chunk(1, 1)) == "Manual"


def test_what_the_chunk_begins_with_is_left_out() -> None:
    assert context(chunk(4, 5), "Manual") == "Manual > Red"
    assert context(chunk(0, 1), "Manual") == ""
    assert context(chunk(0, 1), "Guía") == "Guía"
    assert context(chunk(3, 5), "Manual") == "Manual > Red"


def test_a_run_of_headings_at_the_start_is_left_out() -> None:
    doc = document(
        ("heading", "# Manual de *uso*", 1), ("heading", "## Red", 2), ("paragraph", "Cables.")
    )
    doc = Document(doc.text, doc.elements, "Manual de uso")
    made = load("contextualizer", "structural")(ContextSettings(), tokenizer())
    assert made.contexts(doc, [chunk(0, 2, doc), chunk(1, 2, doc), chunk(2, 2, doc)]) == [
        "", "Manual de uso", "Manual de uso > Red"
    ]  # fmt: skip


def test_dates_and_versions() -> None:
    dated = {"date": "2024-05-01", "version": 2, "author": "Ana", "valid_from": None}
    assert context(chunk(3, 3), "", 64, dated) == "Manual > Red (version 2, date 2024-05-01)"
    assert context(chunk(0, 1), "Manual", 64, dated) == "version 2, date 2024-05-01"


def test_the_outermost_titles_go_first() -> None:
    assert context(chunk(5, 5), "Guía " * 50, 12) == "Manual > Red > Wi-Fi"
    count = tokenizer().count("Red > Wi-Fi")
    assert context(chunk(5, 5), "Manual", count) == "Red > Wi-Fi"


def table_context(header: str, start: int, limit: int = 64) -> str:
    text = f"Intro.\n\n{header}\n|---|---|\n| Norte | 3 |\n| Sur | 4 |\n\nFin."
    at = text.index("|")
    heading = ("Manual", "Datos")
    elements = (
        Element("paragraph", 0, 6, heading),
        Element("table", at, text.index("\n\nFin"), heading),
        Element("paragraph", text.index("Fin"), len(text), heading),
    )
    made = load("contextualizer", "structural")(ContextSettings(max_tokens=limit), tokenizer())
    item = Chunk("", "", "", start, len(text), text[start:], heading=heading)
    (line,) = made.contexts(Document(text, elements), [item])
    return str(line)


def test_a_chunk_that_begins_within_a_table_has_its_header() -> None:
    header = "| Zona | Total |"
    inside = len(f"Intro.\n\n{header}\n|---|---|\n| Norte | 3 |\n")
    assert table_context(header, inside) == "Manual > Datos: Zona | Total"
    assert table_context(header, 0) == "Manual > Datos"
    assert table_context(header, 8) == "Manual > Datos"
    assert table_context("| 1 | 2 |", inside - 6) == "Manual > Datos"


def test_titles_give_way_to_a_header_until_the_last() -> None:
    header = "| Zona | Total |"
    inside = len(f"Intro.\n\n{header}\n|---|---|\n| Norte | 3 |\n")
    room = tokenizer().count("Datos: Zona | Total")
    assert table_context(header, inside, room) == "Datos: Zona | Total"
    assert table_context(header, inside, room - 1) == "Manual > Datos"


@pytest.mark.parametrize("name", names("contextualizer"))
@pytest.mark.parametrize("limit", [0, 1, 2, 5, 9, 512])
@pytest.mark.parametrize("title", ["", "Un título muy largo " * 40, "x" * 900, "\n a \t b"])
def test_every_context_fits(name: str, limit: int, title: str) -> None:
    long = Element("paragraph", 0, 6, ("Sección " * 30, "Punto\n final"))
    doc = Document("Texto.", (long,), title, metadata={"date": "2024-05-01 " * 9})
    made = load("contextualizer", name)(ContextSettings(max_tokens=limit), tokenizer())
    item = Chunk("", "", "", 0, 6, "Texto.", heading=long.heading)
    lines = made.contexts(doc, [item, item])
    assert len(lines) == 2
    assert all(tokenizer().count(line) <= limit and "\n" not in line for line in lines)
