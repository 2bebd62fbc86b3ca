import pytest

from kb.errors import ParseError
from tests.office import ODF_SPACES, members, odf, parse, rows, texts, zipped

STYLES = (
    '<style:style style:name="P1" style:parent-style-name="Title"/>'
    '<style:style style:name="P2" style:parent-style-name="Heading_20_2"/>'
)


def read(kind: str, body: str, parser: str) -> list[tuple[str, str]]:
    return rows(parse(parser, odf(kind, body, STYLES)))


def test_headings_paragraphs_and_blanks() -> None:
    body = (
        '<text:p text:style-name="P1">El plan</text:p><text:h text:outline-level="2">Uno</text:h>'
        '<text:p>a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d<text:span> e\n  f</text:span></text:p>'
        '<text:p text:style-name="P2">Dos</text:p>'
    )
    document = parse("odt", odf("text", body, STYLES))
    assert [(e.level, document.text[e.start : e.end]) for e in document.elements] == [
        (1, "El plan"),
        (2, "Uno"),
        (0, "a b c\nd e f"),
        (2, "Dos"),
    ]
    assert document.title == "El plan"
    assert document.metadata == {"title": "Plan de riego", "keywords": "agua, huerta"}


def test_deletions_and_contents_are_no_text_notes_stand_after() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>borrado</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        "<text:table-of-content><text:index-body><text:p>Índice 1</text:p></text:index-body>"
        "</text:table-of-content>"
        "<text:p>Texto<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>Al pie.</text:p></text:note-body></text:note> sigue<office:annotation>"
        "<dc:creator>Ana</dc:creator><text:p>¿Seguro?</text:p></office:annotation></text:p>"
    )
    assert read("text", body, "odt") == [
        ("paragraph", "Texto sigue"),
        ("note", "Al pie."),
        ("note", "Ana: ¿Seguro?"),
    ]


def test_lists_tables_and_text_boxes() -> None:
    body = (
        "<text:list><text:list-item><text:p>uno</text:p><text:list><text:list-item><text:p>dos</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
        "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Zona</text:p>"
        "</table:table-cell><table:table-cell><text:p>2024</text:p></table:table-cell></table:table-row>"
        '</table:table-header-rows><table:table-row><table:table-cell table:number-rows-spanned="2">'
        "<text:p>Norte</text:p></table:table-cell><table:table-cell><text:p>1</text:p></table:table-cell>"
        "</table:table-row><table:table-row><table:covered-table-cell/><table:table-cell><text:p>2</text:p>"
        "</table:table-cell></table:table-row></table:table>"
        "<text:p>ancla<draw:frame><draw:text-box><text:p>en la caja</text:p></draw:text-box></draw:frame>"
        "</text:p>"
    )
    assert read("text", body, "odt") == [
        ("list", "- uno\n  - dos"),
        ("table", "Zona | 2024\nNorte | 1\nNorte | 2"),
        ("paragraph", "ancla"),
        ("paragraph", "en la caja"),
    ]


def cells(*shown: str) -> str:
    return "".join(
        f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in shown
    )


def test_sheets_as_shown_however_many_rows_they_claim() -> None:
    blank = "<table:table-row table:number-rows-repeated='1048000'><table:table-cell/></table:table-row>"
    body = (
        f'<table:table table:name="Precios"><table:table-row>{cells("Ref", "Precio")}</table:table-row>'
        f'<table:table-row table:number-rows-repeated="2">{cells("R1", "4,50 €")}</table:table-row>{blank}'
        f"<table:table-row>{cells('fin')}</table:table-row></table:table>"
        f'<table:table table:name="Vacía">{blank}</table:table>'
        f'<table:table table:name="Otra"><table:table-row>{cells("hola")}</table:table-row></table:table>'
    )
    document = parse("ods", odf("spreadsheet", body))
    assert [(e.page, e.kind, document.text[e.start : e.end]) for e in document.elements] == [
        (1, "heading", "Precios"),
        (1, "table", "Ref | Precio\nR1 | 4,50 €\nR1 | 4,50 €"),
        (1, "paragraph", "fin"),
        (3, "heading", "Otra"),
        (3, "paragraph", "hola"),
    ]


def test_slides_with_titles_and_notes() -> None:
    body = (
        '<draw:page><draw:frame presentation:class="outline"><draw:text-box><text:p>uno</text:p>'
        '</draw:text-box></draw:frame><draw:frame presentation:class="title"><draw:text-box>'
        "<text:p>Título</text:p></draw:text-box></draw:frame><draw:g><draw:custom-shape><text:p>dos"
        "</text:p></draw:custom-shape></draw:g><presentation:notes><draw:frame><draw:text-box>"
        "<text:p>nota</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"
        "<draw:page><draw:custom-shape><text:p>tres</text:p></draw:custom-shape></draw:page>"
    )
    document = parse("odp", odf("presentation", body))
    assert [(e.page, document.text[e.start : e.end], e.heading) for e in document.elements] == [
        (1, "Título", ("Título",)),
        (1, "uno", ("Título",)),
        (1, "dos", ("Título",)),
        (1, "nota", ("Título",)),
        (2, "tres", ()),
    ]


def test_page_headers_stand_once_at_the_end() -> None:
    inside = members(odf("text", "<text:p>cuerpo</text:p>"))
    edge = "<style:header><text:p>PR-07, rev. 3</text:p></style:header>"
    edge += "<style:footer><text:p>Página <text:span>3</text:span></text:p></style:footer>"
    inside["styles.xml"] = (
        f"<office:document-styles {ODF_SPACES}>{edge}</office:document-styles>".encode()
    )
    found = rows(parse("odt", zipped(inside)))
    assert found == [("paragraph", "cuerpo"), ("note", "PR-07, rev. 3")]


def test_a_flat_file_reads_alike() -> None:
    flat = f"<office:document {ODF_SPACES}><office:body><office:text><text:p>plano</text:p>"
    flat += "</office:text></office:body></office:document>"
    assert texts(parse("odt", flat.encode()), "paragraph") == ["plano"]


@pytest.mark.parametrize("parser", ["odt", "ods", "odp"])
def test_what_is_locked_or_broken_says_so(parser: str) -> None:
    with pytest.raises(ParseError, match="locked by a password"):
        parse(parser, odf("text", "", encrypted=True))
    with pytest.raises(ParseError, match="broken OpenDocument"):
        parse(parser, odf("text", "")[:-30])
