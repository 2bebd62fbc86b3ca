import pytest

from kb.errors import ParseError
from tests.office import members, parse, pptx, relations, rows, shape, zipped


def read(*slides: str, notes: dict[int, str] | None = None) -> list[tuple[int | None, str, str]]:
    document = parse("pptx", pptx(slides, notes))
    return [(e.page, e.kind, document.text[e.start : e.end]) for e in document.elements]


def test_slides_in_the_order_shown_titles_first_notes_last() -> None:
    found = read(
        shape("Asamblea", "ctrTitle"),
        shape("Ingresos\nGastos", "body") + shape("Cuentas", "title") + shape("3", "sldNum"),
        notes={2: "Decir el total."},
    )
    assert found == [
        (1, "heading", "Asamblea"),
        (2, "heading", "Cuentas"),
        (2, "list", "- Ingresos\n- Gastos"),
        (2, "note", "Decir el total."),
    ]


def test_headings_nest_under_a_title_slide_and_end_with_their_slide() -> None:
    slides = [shape("Plan", "ctrTitle"), shape("Uno", "title") + shape("a"), shape("suelto")]
    document = parse("pptx", pptx(slides))
    assert [e.heading for e in document.elements] == [
        ("Plan",),
        ("Plan", "Uno"),
        ("Plan", "Uno"),
        ("Plan",),
    ]
    assert document.title == "Plan"
    assert document.metadata["author"] == "Ana Núñez"


def test_groups_are_read_at_any_depth() -> None:
    group = f"<p:grpSp>{shape('a')}<p:grpSp>{shape('b')}</p:grpSp></p:grpSp>"
    assert read(group + shape("c")) == [(1, "paragraph", x) for x in "abc"]


def test_tables_with_merged_cells() -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    lines = (
        cell("Modelo") + cell("Caudal", 'gridSpan="2"') + cell("", 'hMerge="1"'),
        cell("T40", 'rowSpan="2"') + cell("1") + cell("2"),
        cell("", 'vMerge="1"') + cell("3") + cell("4"),
    )
    table = "".join(f"<a:tr>{line}</a:tr>" for line in lines)
    frame = f"<p:graphicFrame><a:tbl>{table}</a:tbl></p:graphicFrame>"
    assert read(frame) == [(1, "table", "Modelo | Caudal | Caudal\nT40 | 1 | 2\nT40 | 3 | 4")]


def test_a_chart_is_its_title_and_its_numbers() -> None:
    data = members(pptx(['<p:graphicFrame><c:chart r:id="c"/></p:graphicFrame>']))
    points = '<c:pt idx="0"><c:v>2022</c:v></c:pt><c:pt idx="1"><c:v>2023</c:v></c:pt>'
    data["ppt/charts/c.xml"] = (
        '<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><a:p><a:r><a:t>Ventas</a:t></a:r></a:p>'
        "</c:title><c:ser><c:tx><c:pt idx='0'><c:v>Norte</c:v></c:pt></c:tx>"
        f"<c:cat>{points}</c:cat><c:val><c:pt idx='1'><c:v>0.30000000000000004</c:v></c:pt></c:val>"
        "</c:ser></c:chart></c:chartSpace>"
    ).encode()
    data["ppt/slides/_rels/slide1.xml.rels"] = relations(
        [("c", "chart", "../charts/c.xml")]
    ).encode()
    found = rows(parse("pptx", zipped(data)))
    assert found == [("caption", "Ventas"), ("table", "| Norte\n2022\n2023 | 0.3")]


def test_hidden_slides_are_read_and_named() -> None:
    document = parse("pptx", pptx([shape("uno"), shape("dos")], attributes='show="0"'))
    assert "dos" in document.text
    assert document.warnings == ("hidden slides: 2",)


def test_slides_are_found_where_their_order_is_lost() -> None:
    data = members(pptx([shape(str(n)) for n in range(1, 12)]))
    data["ppt/presentation.xml"] = b"<broken"
    document = parse("pptx", zipped(data))
    assert document.text.split() == [str(n) for n in range(11, 0, -1)]


def test_what_is_broken_says_so() -> None:
    with pytest.raises(ParseError, match=r"broken PowerPoint presentation: ppt/presentation\.xml"):
        parse("pptx", zipped({"ppt/slides/slide1.xml": "<a/>"}))
