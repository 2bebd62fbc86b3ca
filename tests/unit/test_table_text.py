import pytest

from ingest.parse.extracted import ExtractedText
from ingest.parse.table.build import add_table, weight
from ingest.parse.table.grid import Cell, spread
from ingest.parse.table.header import header_of, is_header, join_headers
from tests.chunking import tokenizer


def built(table: list[list[str]], headers: int | None = None) -> list[tuple[str, str]]:
    text = ExtractedText()
    add_table(text, table, headers=headers)
    return [(e.kind, text.text[e.start : e.end]) for e in text.elements]


@pytest.mark.parametrize(
    ("row", "following", "header"),
    [
        (["Modelo", "Caudal"], ["T40", "60"], True),
        (["Zona", "2023", "2024"], ["Norte", "1", "2"], True),
        (["", "Caudal", "Precio"], ["T40", "1", "2"], True),
        (["T40", "60"], ["T80", "70"], False),
        (["Zona", "12,5 %"], ["Sur", "3 %"], False),
        (["Fecha", "01/02/2024"], ["Lugar", "Hontanar"], False),
        (["Potencia:", "alta"], ["Caudal:", "bajo"], False),
        (["Uno", "", "", "", "x"], ["1", "2", "3", "4", "5"], False),
        (["Modelo", "Caudal"], None, False),
        (["Modelo"], ["T40"], False),
        (["Modelo", "x" * 81], ["T40", "60"], False),
    ],
)
def test_a_header_names_columns(row: list[str], following: list[str] | None, header: bool) -> None:
    assert is_header(row, following) == header


def test_cells_that_cover_others() -> None:
    table = [
        [Cell("a"), Cell("b", 2)],
        [Cell("c", 1, 3), Cell("d"), Cell("e", 2)],
        [Cell("f", 2, 1)],
        [Cell("g"), Cell("h")],
    ]
    assert list(spread(table)) == [
        ["a", "b", "b"],
        ["c", "d", "e", ""],
        ["c", "f", ""],
        ["c", "g", "h"],
    ]


def test_spans_without_bounds_cost_nothing() -> None:
    (row, *_) = spread([[Cell("a", 10**9, 10**9)], [Cell("b")]])
    assert len(row) == 64


def test_two_header_rows_are_one_line() -> None:
    assert join_headers([["2023", "2023", ""], ["Q1", "Q2", "Zona"]]) == [
        "2023 Q1",
        "2023 Q2",
        "Zona",
    ]
    table = [["Zona", "2023", "2023"], ["", "primero", "segundo"], ["Norte", "1", "2"]]
    assert built(table) == [("table", "Zona | 2023 primero | 2023 segundo\nNorte | 1 | 2")]


def test_a_first_row_of_one_cell_is_the_caption() -> None:
    table = [["Tabla 1. Caudales", "", ""], ["Zona", "min", "max"], ["Norte", "1", "2"]]
    assert built(table) == [
        ("caption", "Tabla 1. Caudales"),
        ("table", "Zona | min | max\nNorte | 1 | 2"),
    ]


def test_blank_rows_go_and_cells_are_one_line() -> None:
    assert built([["a\nb", "c"], ["", " "], ["", "1"]]) == [("table", "a b | c\n| 1")]
    assert built([]) == built([["", ""]]) == []


def test_pieces_of_a_long_table_fit_a_chunk_with_their_header() -> None:
    table = [["Referencia", "Descripción", "Precio"]]
    table += [[f"R123-{n}", "junta tórica de caucho", f"{n},50 €"] for n in range(500)]
    pieces = [text for _, text in built(table)]
    assert all(text.startswith("Referencia | Descripción | Precio\nR123-") for text in pieces)
    sizes = [tokenizer().count(text) for text in pieces]
    assert max(sizes) <= 256
    assert min(sizes[:-1]) > 128  # two do not fit a chunk, so that each is one


def test_the_weight_is_near_the_tokens() -> None:
    for text in ("R123-78 | 450 | 12,50 €", "Zona norte | precipitación anual media | 2024-05-01"):
        assert 0.7 < weight(text) / tokenizer().count(text) < 1.3


def test_a_table_without_a_header_repeats_nothing() -> None:
    table = [[str(n), str(n * n)] for n in range(300)]
    kept = [line for _, text in built(table) for line in text.split("\n")]
    assert kept == [f"{n} | {n * n}" for n in range(300)]


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("| Zona | 2024 |\n|---|---:|\n| Norte | 3 |", "Zona | 2024"),
        ("Zona | Total\nNorte | 3", "Zona | Total"),
        ("| Total\nNorte | 3", ""),
        ("+----+----+\n| Ab | Cd |\n+====+====+\n| 1  | 2  |\n+----+----+", "Ab | Cd"),
        ("=====  =====\nZona   Total\n=====  =====\nNorte  3", "Zona | Total"),
        ("1 | 2\n3 | 4", ""),
        ("Zona | Total", ""),
        ("", ""),
    ],
)
def test_the_header_of_any_table_text(text: str, header: str) -> None:
    assert header_of(text) == header
