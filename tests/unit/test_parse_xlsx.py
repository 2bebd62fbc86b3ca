import io
from datetime import date

import pytest

from ingest.parse.xlsx.formats import read_format, shown
from kb.errors import ParseError
from tests.office import members, parse, relations, rows, sheet, texts, xlsx, zipped


@pytest.mark.parametrize(
    ("code", "value", "text"),
    [
        ("General", 0.1 + 0.2, "0.3"),
        ("General", 5.0, "5"),
        ("0", 2.6, "3"),
        ("#,##0.00", 1234.5, "1234.50"),
        ("#,##0.00;[Red]-#,##0.00", -1234.5, "-1234.50"),
        ("0.0%", 0.125, "12.5%"),
        ("00000", 8001, "08001"),
        ('#,##0.00 "€"', 7.5, "7.50 €"),
        ("[$€-C0A] #,##0", 7, "€7"),
        ("#,##0.00\\ [$EUR]", 7.5, "7.50 EUR"),
        ('0 "l/s"', 60, "60 l/s"),
        ("0,", 71600, "72"),
        ("0.00E+00", 12345, "1.23E+04"),
        ("yyyy-mm-dd", 45413, "2024-05-01"),
        ("dd/mm/yyyy hh:mm", 45413.3958333333, "2024-05-01 09:30"),
        ("[$-409]d-mmm-yy;@", 45413, "2024-05-01"),
        ("mmm-yy", 45413, "2024-05"),
        ("h:mm", 0.3958333333, "09:30"),
        ("[h]:mm", 1.5, "36:00"),
        ("yyyy-mm-dd", -3, "-3"),
        ("@", 12, "12"),
    ],
)
def test_a_number_reads_as_it_is_shown(code: str, value: float, text: str) -> None:
    assert shown(value, read_format(code), from_1904=False) == text


def test_dates_count_from_1900_with_its_leap_day_or_from_1904() -> None:
    day = read_format("yyyy-mm-dd")
    assert [shown(n, day, False) for n in (1, 59, 61)] == ["1900-01-01", "1900-02-28", "1900-03-01"]
    assert shown(0, day, True) == "1904-01-01"
    assert (date(1904, 1, 1) - date(1899, 12, 30)).days == 1462


def test_a_sheet_is_a_heading_and_a_page_and_blank_rows_part_tables() -> None:
    first = sheet([["Tarifa 2025"], [], ["Ref", "Precio"], ["R1", 450], ["R2", None]])
    document = parse("xlsx", xlsx({"Precios": first, "Vacía": "", "Notas": sheet([["hola"]])}))
    assert [(e.page, e.kind, document.text[e.start : e.end]) for e in document.elements] == [
        (1, "heading", "Precios"),
        (1, "paragraph", "Tarifa 2025"),
        (1, "table", "Ref | Precio\nR1 | 450\nR2"),
        (3, "heading", "Notas"),
        (3, "paragraph", "hola"),
    ]


def test_each_piece_of_a_long_table_has_the_header() -> None:
    table = [["Referencia", "Precio"], *([f"R-{n}", n] for n in range(400))]
    found = texts(parse("xlsx", xlsx({"Hoja": sheet(table)})), "table")
    assert len(found) > 10
    assert all(text.startswith("Referencia | Precio\nR-") for text in found)
    kept = [line for text in found for line in text.split("\n")[1:]]
    assert kept == [f"R-{n} | {n}" for n in range(400)]


def test_a_row_put_in_moves_only_the_pieces_near_it() -> None:
    table = [["Referencia", "Precio"], *([f"R-{n}", n * 7 % 31] for n in range(400))]
    more = [*table[:20], ["R-nueva", 1], *table[20:]]
    before, after = (texts(parse("xlsx", xlsx({"H": sheet(t)})), "table") for t in (table, more))
    assert len(set(after) - set(before)) <= 4


def test_strings_dates_merged_cells_and_formulas() -> None:
    styles = (
        '<numFmts><numFmt numFmtId="170" formatCode="0.0%"/></numFmts><cellXfs><xf numFmtId="0"/>'
    )
    styles += '<xf numFmtId="14"/><xf numFmtId="170"/></cellXfs>'
    cells = (
        '<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>'
        '<c r="C1" t="s"><v>2</v></c></row>'
        '<row r="2"><c r="A2" t="s"><v>3</v></c><c r="B2" s="1"><v>45413</v></c>'
        '<c r="C2" s="2"><f>A1</f><v>0.125</v></c></row>'
        '<row r="3"><c r="A3"/><c r="B3" s="1"><v>45414</v></c><c r="C3"><f>A1</f></c></row>'
        '</sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
    )
    document = parse("xlsx", xlsx({"H": cells}, ["Zona", "Día", "Parte", "Norte"], styles))
    assert texts(document, "table") == [
        "Zona | Día | Parte\nNorte | 2024-05-01 | 12.5%\nNorte | 2024-05-02"
    ]
    assert document.warnings[0].startswith("sheet H: formulas without a stored result: 1;")


def test_a_range_that_lies_is_not_walked() -> None:
    blank = "".join(f'<row r="{n}"/>' for n in range(3, 2000))
    cells = (
        f'<dimension ref="A1:XFD1048576"/>{sheet([["a", "b"], [1, 2]])[:-12]}{blank}'
        '<row r="1048576"><c r="XFD1048576"><v>9</v></c></row></sheetData>'
    )
    assert rows(parse("xlsx", xlsx({"H": cells}))) == [
        ("heading", "H"),
        ("table", "a | b\n1 | 2"),
        ("paragraph", "9"),
    ]


def test_hidden_sheets_and_comments() -> None:
    data = members(xlsx({"A": sheet([["x"]]), "B": sheet([["secreto"]])}, hidden="B"))
    data["xl/comments1.xml"] = (
        b'<comments xmlns="c"><commentList><comment ref="A1"><text><r><t>Revisar.</t></r></text>'
        b"</comment></commentList></comments>"
    )
    kind = [("c", "comments", "../comments1.xml")]
    data["xl/worksheets/_rels/sheet1.xml.rels"] = relations(kind).encode()
    document = parse("xlsx", zipped(data))
    assert ("note", "A1: Revisar.") in rows(document)
    assert "secreto" in document.text
    assert document.warnings == ("hidden sheets: B",)


def test_a_wide_table_names_each_value() -> None:
    table = [[f"columna número {n} en litros" for n in range(20)], list(range(20))]
    (text,) = texts(parse("xlsx", xlsx({"H": sheet(table)})), "table")
    assert text.startswith("columna número 0 en litros: 0; columna número 1 en litros: 1;")


def test_a_bomb_is_not_unpacked() -> None:
    data = xlsx({"H": f"<sheetData>{' ' * (70 << 20)}</sheetData>"})
    assert len(data) < 200_000
    with pytest.raises(ParseError, match="unpacks to 70 MB"):
        parse("xlsx", data)


def test_what_is_damaged_inside_says_so() -> None:
    data = bytearray(xlsx({"H": sheet([[f"texto {n}", n * n] for n in range(2000)])}))
    at = data.index(b"xl/worksheets/sheet1.xml") + 2000
    data[at : at + 200] = b"\xff" * 200
    with pytest.raises(
        ParseError, match=r"broken Excel workbook: xl/worksheets/sheet1\.xml is damaged"
    ):
        parse("xlsx", bytes(data))


def test_old_workbooks() -> None:
    xlwt = pytest.importorskip("xlwt")
    book = xlwt.Workbook()
    page = book.add_sheet("Tarifa")
    day = xlwt.easyxf(num_format_str="yyyy-mm-dd")
    for column, name in enumerate(["Referencia", "Día", "Precio"]):
        page.write(0, column, name)
    page.write(1, 0, "R-123")
    page.write(1, 1, date(2024, 5, 1), day)
    page.write(1, 2, 12.5)
    page.write_merge(2, 3, 0, 0, "R-124")
    page.write(2, 2, 1)
    page.write(3, 2, 2)
    packed = io.BytesIO()
    book.save(packed)
    assert rows(parse("xls", packed.getvalue())) == [
        ("heading", "Tarifa"),
        (
            "table",
            "Referencia | Día | Precio\nR-123 | 2024-05-01 | 12.5\nR-124 |  | 1\nR-124 |  | 2",
        ),
    ]
    with pytest.raises(ParseError, match="broken Excel workbook"):
        parse("xls", packed.getvalue()[:600])
