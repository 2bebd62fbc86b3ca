"""A card's sentences: numbers, shares and names as each language writes them."""

from array import array
from typing import Any

import pytest

from index.cards.counting import Counted, Group
from index.cards.definition import definition
from index.cards.numbers import Numbers
from index.cards.wording import amount, noun, said, share, whole
from kb.settings import CountSettings


def counted(language: str, *groups: tuple[str, int], **changes: Any) -> Counted:
    settings = {"name": "a", "group_by": ("status",), **changes.pop("settings", {})}
    total = sum(count for _, count in groups)
    made: dict[str, Any] = {
        "definition": definition(CountSettings(**settings)),
        "total": total,
        "documents": total,
        "without": 0,
        "groups": [Group((value,), array("q"), count) for value, count in groups],
        "numbers": None,
        "rows": array("q"),
        "language": language,
        "folder": "docs",
    }
    return Counted(**{**made, **changes})


@pytest.mark.parametrize(
    ("part", "total", "english", "spanish"),
    [
        (1, 3, "33.3%", "33,3 %"),
        (2, 2, "100%", "100 %"),
        (1, 8, "12.5%", "12,5 %"),
        (1, 5000, "<0.1%", "<0,1 %"),
        (0, 7, "0%", "0 %"),
    ],
)
def test_shares(part: int, total: int, english: str, spanish: str) -> None:
    assert share(part, total, "en") == english
    assert share(part, total, "es") == spanish


def test_numbers() -> None:
    assert (whole(12345, "en"), whole(12345, "es")) == ("12,345", "12.345")
    assert (amount(1234.5, "en"), amount(1234.5, "es")) == ("1,234.5", "1.234,5")
    assert amount(2.0, "es") == "2"
    assert amount(1000.0, "en") == "1,000"


def test_in_english() -> None:
    found = counted("en", ("active", 90), ("ended", 1), without=9, total=100, documents=100)
    words = said(found)
    assert words.title == "Count of documents by status"
    assert words.head == (
        "Count of documents by status (docs): 100 documents in all. The most common: status active."
    )
    assert words.lines == (
        "status active: 90 documents (90%).",
        "status ended: 1 document (1%).",
        "Without status: 9 documents (9%).",
    )
    assert words.asked.startswith("How many documents are there? How many of each status")


def test_in_spanish_with_amounts() -> None:
    numbers = Numbers.of([1.0, 2.0])
    found = counted("es", ("activo", 2), numbers=numbers, settings={"value": "importe"})
    assert said(found).head == (
        "Recuento de documentos por status (docs): 2 documentos en total; importe: suma 3, media 1,5, "
        "mediana 1,5, mínimo 1, máximo 2."
    )
    assert "¿Cuál es el valor medio, total, mínimo y máximo de importe?" in said(found).asked


def test_several_may_be_most_common() -> None:
    words = said(counted("en", ("a", 2), ("b", 2), ("c", 1)))
    assert "The most common, with 2 each: status a; status b." in words.head
    unlike = said(counted("en", *((str(i), 1) for i in range(9))))
    assert unlike.head.endswith("9 documents in all.")


def test_conditions_and_the_day_are_said() -> None:
    settings = {"where": ('kind = "x"',), "as_of": "2024-05-01"}
    assert said(counted("en", ("a", 2), settings=settings)).head == (
        'Count of documents by status (docs), only with kind = "x" on 2024-05-01: 2 documents in all.'
    )


@pytest.mark.parametrize(
    ("folder", "of", "documents", "name"),
    [
        ("docs/black-cats", "documents", 9, "black cats"),
        ("docs", "documents", 9, "documents"),
        ("", "records", 9, "records"),
        ("docs/cats.csv", "records", 1, "cats"),
        ("docs/cats.md", "documents", 1, "documents"),
    ],
)
def test_what_is_counted_is_called_as_its_folder(
    folder: str, of: str, documents: int, name: str
) -> None:
    found = counted("en", ("a", 9), folder=folder, documents=documents, settings={"of": of})
    assert noun(found) == name
    assert noun(counted("en", ("a", 9), settings={"noun": "tigers"})) == "tigers"


def test_tags_are_called_one_by_one() -> None:
    assert said(counted("en", ("a", 2), settings={"group_by": ("tags",)})).lines == (
        "tag a: 2 documents (100%).",
    )
    assert said(counted("es", ("a", 2), settings={"group_by": ("tags",)})).lines == (
        "etiqueta a: 2 documentos (100 %).",
    )
