"""Conditions: what they mean, and where their errors point."""

import re

import pytest

from index.fields import lookup_in
from index.where import parse
from kb.errors import UsageError
from tests.filtering import document

METADATA = {
    "status": "Final",
    "year": 2024,
    "edition": "2024",
    "price": 2.5,
    "draft": False,
    "empty": None,
    "date": "2024-06-01",
    "at": "2024-06-01T10:00:00",
    "Título": "Política de CAMIO\u0301N",
    "years": [2019, "2021", None],
    "none": [],
    "author": {"Name": "Lucía", "group": {"id": 7}},
    "first author": "Ana",
    "in": "box",
    "valid-from": "2025-01-01",
}


def truth(source: str) -> bool | None:
    subject = document("docs/a/Report.PDF", METADATA, tags=("report", "Q3"))
    return parse(source).truth(lookup_in(subject))


@pytest.mark.parametrize(
    "source",
    [
        'status = "final"',
        "STATUS = 'FINAL'",
        'status != "draft"',
        "year = 2024",
        "year >= 2024 and year <= 2024.0",
        'year = "2024"',
        "edition > 2023",
        'edition < "2025"',
        "price > -3 and price < 2.6 and price = +2.5",
        "draft = false",
        "draft != true",
        "date = 2024-06-01",
        "at = 2024-06-01",
        'date > "2024-05-31"',
        "at <= 2024-06-01 and not at < 2024-06-01",
        'título contains "camión"',
        'título contains "POLÍTICA"',
        "years = 2021",
        "years > 2020",
        "years contains 2019",
        'years contains "2019"',
        "years != 2020",
        'none != "x"',
        "exists(none)",
        "author.name = 'lucía'",
        "author.group.id in (5, 6, 7)",
        "`first author` = 'ana'",
        "`in` = 'box'",
        "valid-from = 2025-01-01",
        'status in ("draft", "final")',
        "not exists(empty)",
        "not exists(author.age)",
        'tags contains "q3" and tags = "report"',
        'type = "pdf"',
        'path contains "/a/"',
        'missing = "x" or year = 2024',
        "not missing = 1 or exists(year)",
        "year = 1 or year = 2024 and draft = false",
        "(year = 1 or year = 2024) and draft = false",
        "not year = 1 and not not year = 2024",
        "year=2024 AND(draft=false)",
        "\n year \n=\t2024 ",
    ],
)
def test_true(source: str) -> None:
    assert truth(source) is True


@pytest.mark.parametrize(
    "source",
    [
        'status = "fin"',
        'status contains "x"',
        'year = "next"',
        "draft = 0",
        "status = true",
        "status = 5",
        "título contains 'camion'",
        "years != 2021",
        "none = 1",
        "exists(empty)",
        "exists(author.age)",
        "year = 2024 and draft = true",
        "not (year = 1 or year = 2024)",
        "year in (1, 2)",
        'author = "Lucía"',
        "missing = 1 and year = 1",
    ],
)
def test_false(source: str) -> None:
    assert truth(source) is False


@pytest.mark.parametrize(
    "source",
    [
        "missing = 1",
        "missing != 1",
        "not missing = 1",
        "not missing != 1",
        "missing in (1)",
        "not missing contains 'x'",
        "empty = 1",
        "missing = 1 or year = 1",
        "missing = 1 and year = 2024",
        "year > 'next'",
        "not year > 'next'",
        "status < 5",
        "draft > false",
        "author > 1",
        "date > 5",
    ],
)
def test_unknown_lets_nothing_through_and_not_leaves_it_so(source: str) -> None:
    assert truth(source) is None


@pytest.mark.parametrize(
    ("source", "column", "said"),
    [
        ("", 1, "a field's name should stand here, and there is no more"),
        ("   ", 1, "there is no more"),
        ("status", 7, "= != < <= > >= in or contains"),
        ("status = final", 10, 'in quotes: "final"'),
        ("status == 'x'", 9, "a value"),
        ("status = ", 9, "a value"),
        ("status = 'final", 10, "never closed"),
        ("a = 1 b = 2", 7, "and, or, or the end"),
        ("a = 1 and", 10, "a field's name"),
        ("(a = 1", 7, ") should stand here"),
        ("a = 1)", 6, "not )"),
        ("a in 1", 6, "( should stand here"),
        ("a in ()", 7, "a value"),
        ("a in (1 2)", 9, ") should stand here"),
        ("exists a", 8, "( should"),
        ("2024 = year", 1, "a field's name"),
        ("a = 2024-13-01", 5, "there is no day 2024-13-01"),
        ("a = 1 & b = 2", 7, "write and"),
        ("a = 1 || b = 2", 7, "write or"),
        ("a ! 1", 3, "write != or not"),
        ("a = 12abc", 5, "'1' has no place"),
        ("a = 1.2.3", 5, "'1' has no place"),
        ("a = 9999999999999999999", 5, "no place"),
        ("in = 1", 1, "a field's name should stand here, not in"),
        ("a = b", 5, "in quotes"),
        ("a;b", 2, "';' has no place here"),
        ("__import__('os')", 11, "not ("),
        ("(" * 60 + "a = 1" + ")" * 60, 52, "50 levels"),
    ],
)
def test_errors_point_at_the_column(source: str, column: int, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(source)
    first, line, mark = str(caught.value).split("\n")
    assert first.startswith(f"--where: column {column}: ")
    assert re.search(re.escape(said), first)
    assert line == f"  {source}"
    assert mark == " " * (column + 1) + "^"


def test_a_very_long_condition_is_read() -> None:
    many = " or ".join(f"year = {n}" for n in range(3000))
    assert truth(many) is True
    assert truth("not " * 4001 + "year = 1") is True


def test_escapes() -> None:
    node = parse(r'a = "say \"hi\" \\ \n"')
    assert node.truth({"a": 'say "hi" \\ n'}.get) is True
