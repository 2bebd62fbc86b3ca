import pytest

from ingest.parse.csv.parser import CsvParser
from kb.records import Document
from kb.settings import ParseSettings


def parse(text: str, codec: str = "utf-8") -> Document:
    return CsvParser(ParseSettings()).parse(text.encode(codec), "lista.csv")


def rows(text: str, codec: str = "utf-8") -> list[str]:
    document = parse(text, codec)
    return [document.text[e.start : e.end] for e in document.elements]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_each_row_names_its_columns(sign: str) -> None:
    text = "nombre,edad\nAna,30\nLuis,25\n".replace(",", sign)
    assert rows(text) == ["nombre: Ana | edad: 30", "nombre: Luis | edad: 25"]


def test_a_decimal_comma_does_not_part_cells() -> None:
    assert rows("pieza;precio;peso\nJunta;1,50;0,2\nPerno;2,75;0,4\n") == [
        "pieza: Junta | precio: 1,50 | peso: 0,2",
        "pieza: Perno | precio: 2,75 | peso: 0,4",
    ]
    assert rows("precio,total\n3,4\n") == ["precio: 3 | total: 4"]


def test_excel_says_its_separator_and_a_mark_may_stand_first() -> None:
    assert rows("sep=;\na,x;b\n1,5;2\n") == ["a,x: 1,5 | b: 2"]
    assert rows("a;b\n1;2\n", "utf-8-sig") == ["a: 1 | b: 2"]
    assert rows("año\tniño\n1\t2\n", "utf-16") == ["año: 1 | niño: 2"]
    assert rows("名前,年齢\n佐藤太郎,30\n", "cp932") == ["名前: 佐藤太郎 | 年齢: 30"]


def test_quoted_cells_hold_signs_quotes_and_line_breaks() -> None:
    document = parse('k,v\n1,"a, b\nc ""d"""\n2,x\n')
    assert rows('k,v\n1,"a, b\nc ""d"""\n2,x\n') == ['k: 1 | v: a, b c "d"', "k: 2 | v: x"]
    assert [e.lines for e in document.elements] == [(2, 3), (4, 4)]


@pytest.mark.parametrize("rest", ["2,3\n" * 3, "2,3\n" * 900])
def test_a_quote_that_is_never_closed_does_not_swallow_the_rest(rest: str) -> None:
    document = parse('a,b\n1,"abierta\n' + rest)
    assert 'b: "abierta' in document.text
    assert document.text.count("a: 2 | b: 3") == rest.count("\n")
    assert "line 2" in document.warnings[0]


def test_without_a_header_the_values_stand_alone() -> None:
    assert rows("Ana,Madrid\nLuis,Madrid\n") == ["Ana | Madrid", "Luis | Madrid"]
    assert rows("1,2\n3,4\n") == ["1 | 2", "3 | 4"]
    assert rows("a@b.es;600\nc@d.es;700\n") == ["a@b.es | 600", "c@d.es | 700"]
    assert rows("región;2023;2024\nNorte;1;2\n") == ["región: Norte | 2023: 1 | 2024: 2"]


def test_ragged_rows_blank_cells_and_lines_above_the_table() -> None:
    text = "Informe de mayo\n\nid,nombre,zona\n1,Ana,\n2,Luis,Sur,extra\n3\n"
    assert rows(text) == [
        "Informe de mayo",
        "id: 1 | nombre: Ana",
        "id: 2 | nombre: Luis | zona: Sur | extra",
        "id: 3",
    ]


def test_a_row_of_long_texts_is_a_line_a_cell() -> None:
    question, answer = "¿Cómo se purga? " * 10, "Abra la válvula. " * 20
    assert rows(f"pregunta;respuesta\n{question};{answer}\n") == [
        f"pregunta: {question.strip()}\nrespuesta: {answer.strip()}"
    ]


def test_the_language_is_that_of_the_cells() -> None:
    assert parse("id,note\n1,El agua de la presa está turbia y no se ve la mira\n").language == "es"


def test_nothing_in_it() -> None:
    assert parse(" \n\n").warnings == ("no text in it",)
    assert rows("a,b\n") == ["a | b"]
