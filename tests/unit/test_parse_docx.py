import pytest

from kb.errors import ParseError
from tests.office import docx, members, para, parse, rows, texts, word_table, zipped

STYLES = (
    '<w:style w:type="paragraph" w:styleId="Ttulo1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Mio"><w:name w:val="Mi estilo"/>'
    '<w:basedOn w:val="Ttulo2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Ttulo2"><w:name w:val="Título 2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="TDC1"><w:name w:val="toc 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
)
NUMBERING = (
    '<w:abstractNum w:abstractNumId="7">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/>'
    '</w:lvl></w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>'
    '<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>'
    '<w:lvlText w:val="x"/></w:lvl></w:abstractNum><w:num w:numId="4"><w:abstractNumId w:val="8"/></w:num>'
)


def item(text: str, list_id: int, level: int = 0, style: str = "") -> str:
    number = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'
    return para(text, style + number)


def styled(text: str, style: str) -> str:
    return para(text, f'<w:pStyle w:val="{style}"/>')


def read(body: str, **parts: str) -> list[tuple[str, str]]:
    return rows(parse("docx", docx(body, {"styles": STYLES, "numbering": NUMBERING, **parts})))


def test_headings_by_name_of_the_style_of_its_parents_and_by_outline_level() -> None:
    body = styled("Uno", "Ttulo1") + styled("Dos", "Mio") + para("t")
    body += para("Tres", '<w:outlineLvl w:val="2"/>') + para("fin", '<w:outlineLvl w:val="9"/>')
    document = parse("docx", docx(body, {"styles": STYLES}))
    assert [(e.level, e.heading) for e in document.elements] == [
        (1, ("Uno",)),
        (2, ("Uno", "Dos")),
        (0, ("Uno", "Dos")),
        (3, ("Uno", "Dos", "Tres")),
        (0, ("Uno", "Dos", "Tres")),
    ]


def bold(text: str, after: str = "") -> str:
    run = f"<w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r>"
    return f"<w:p>{run}<w:r><w:t>{after}</w:t></w:r></w:p>"


def test_bold_lines_are_headings_where_no_style_is() -> None:
    plain = para("Texto de la sección.")
    body = bold("Objeto") + plain + bold("Plazo") + plain + bold("Nota:", " no es título") + plain
    assert [kind for kind, _ in read(body)] == ["heading", "paragraph"] * 2 + ["paragraph"] * 2
    styled_too = styled("Uno", "Ttulo1") + body
    assert [kind for kind, _ in read(styled_too)].count("heading") == 1
    assert [kind for kind, _ in read(bold("Uno") + bold("Dos") + plain)] == ["paragraph"] * 3


def test_title_metadata_and_contents() -> None:
    document = parse(
        "docx", docx(styled("Guía", "T") + styled("Uno 3", "TDC1"), {"styles": STYLES})
    )
    assert document.text == "Guía"
    assert document.title == "Guía"
    assert document.metadata == {
        "title": "Plan de riego",
        "author": "Ana Núñez",
        "keywords": "agua, huerta",
        "date": "2024-05-01",
    }


def test_tracked_insertions_are_text_and_deletions_are_not() -> None:
    body = (
        "<w:p><w:r><w:t xml:space='preserve'>El plazo es de </w:t></w:r>"
        "<w:del><w:r><w:delText>30</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>x</w:t></w:r></w:moveFrom>"
        "<w:ins><w:r><w:t>45</w:t></w:r></w:ins><w:r><w:rPr><w:vanish/></w:rPr><w:t>oculto</w:t></w:r>"
        "<w:r><w:t> días</w:t></w:r></w:p>"
        "<w:ins>" + para("párrafo nuevo") + "</w:ins>"
    )
    assert read(body) == [("paragraph", "El plazo es de 45 días"), ("paragraph", "párrafo nuevo")]


def test_numbers_count_along_and_headings_have_theirs() -> None:
    heading = '<w:pStyle w:val="Ttulo1"/>'
    body = item("Objeto", 3, 0, heading) + item("uno", 4) + item("dos", 4)
    body += item("Plazo", 3, 0, heading) + item("a", 3, 1) + item("b", 3, 1)
    assert read(body) == [
        ("heading", "1. Objeto"),
        ("list", "- uno\n- dos"),
        ("heading", "2. Plazo"),
        ("list", "2.a) a\n  2.b) b"),
    ]


def test_a_table_stays_in_place_with_merged_and_nested_cells() -> None:
    span = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>' + para("Caudal")
    down = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>' + para("T40")
    goes_on = "<w:tcPr><w:vMerge/></w:tcPr>" + para("")
    inner = word_table([["x", "y"], ["z", "w"]])
    table = word_table([["Modelo", span], [down, "1", "2"], [goes_on, "3", inner]])
    assert read(para("antes") + table + para("después")) == [
        ("paragraph", "antes"),
        ("table", "Modelo | Caudal | Caudal\nT40 | 1 | 2\nT40 | 3 | x, y; z, w"),
        ("paragraph", "después"),
    ]


def test_a_table_of_one_column_is_a_frame() -> None:
    frame = word_table([[styled("Aviso", "Ttulo1") + para("Corte el agua.")]])
    assert read(frame) == [("heading", "Aviso"), ("paragraph", "Corte el agua.")]


def test_text_boxes_once_and_where_they_hang() -> None:
    box = f"<w:txbxContent>{para('en la caja')}</w:txbxContent>"
    body = (
        "<w:p><w:r><w:t>fuera</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>"
        f"{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox>"
        "</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    assert read(body) == [("paragraph", "fuera"), ("paragraph", "en la caja")]


def test_notes_and_comments_stand_after_their_block() -> None:
    body = (
        '<w:p><w:r><w:t>Texto</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r>'
        '<w:hyperlink r:id="h"><w:r><w:t> y enlace</w:t></w:r></w:hyperlink>'
        '<w:r><w:commentReference w:id="5"/></w:r></w:p>'
    )
    found = read(
        body,
        footnotes=f'<w:footnote w:id="2">{para("Al pie.")}</w:footnote>',
        comments=f'<w:comment w:id="5" w:author="Ana">{para("¿Seguro?")}</w:comment>',
    )
    assert found == [
        ("paragraph", "Texto y enlace"),
        ("note", "Al pie."),
        ("note", "Ana: ¿Seguro?"),
    ]


def test_page_headers_and_footers_stand_once_at_the_end() -> None:
    edges = {
        "header": para("PR-07, rev. 3"),
        "footer": para("Página 3 de 9") + para("PR-07, rev. 3"),
    }
    document = parse(
        "docx", docx(styled("Uno", "Ttulo1") + para("cuerpo"), {"styles": STYLES, **edges})
    )
    assert rows(document)[1:] == [("paragraph", "cuerpo"), ("note", "PR-07, rev. 3")]
    assert document.elements[-1].heading == ()


def test_the_strict_namespace_reads_alike() -> None:
    data = docx(para("Some text"), space="http://purl.oclc.org/ooxml/wordprocessingml/main")
    assert rows(parse("docx", data)) == [("paragraph", "Some text")]


def test_nothing_in_it_is_told() -> None:
    document = parse("docx", docx(""))
    assert (document.text, document.elements, document.warnings) == ("", (), ("no text in it",))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"PK\x03\x04 and then nothing", "broken Word document"),
        (docx(para("x"))[:-40], "broken Word document"),
        (zipped({"word/other.xml": "<a/>"}), "word/document.xml is missing"),
    ],
)
def test_what_is_broken_says_so(data: bytes, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        parse("docx", data)


def test_entities_are_not_expanded() -> None:
    bomb = (
        '<!DOCTYPE d [<!ENTITY a "ja"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
        '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>visto &b;&f;</w:t></w:r></w:p></w:body>'
        "</w:document>"
    )
    document = parse("docx", zipped({"word/document.xml": bomb}))
    assert document.text.strip() == "visto"


def test_what_is_nested_too_deep_or_cut_off_is_told() -> None:
    deep = parse("docx", docx(para("antes") + "<w:ins>" * 400 + para("x") + "</w:ins>" * 400))
    assert deep.text == "antes"
    assert deep.warnings == ("word/document.xml is damaged: read as far as it goes",)
    cut = docx(para("antes") + "<w:p><w:r><w:t>corta").replace(b"</w:body>", b"")
    inside = {**members(cut), "word/document.xml": members(cut)["word/document.xml"][:-30]}
    assert parse("docx", zipped(inside)).warnings == deep.warnings


def test_form_prompts_and_fields() -> None:
    body = (
        "<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent><w:r><w:t>Pulse aquí</w:t></w:r>"
        "</w:sdtContent></w:sdt>"
    )
    field = "<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>Página 3</w:t></w:r>"
    assert read(f"<w:p>{body}{field}</w:p>") == [("paragraph", "Página 3")]


def test_the_table_row_that_word_repeats_is_the_header() -> None:
    header = "<w:trPr><w:tblHeader/></w:trPr>"
    table = word_table([["2023", "12"], ["a", "b"]])
    marked = table.replace("<w:tr>", f"<w:tr>{header}", 1)
    many = marked.replace("</w:tbl>", word_table([[f"fila {n}", "1"] for n in range(90)])[7:])
    found = texts(parse("docx", docx(many)), "table")
    assert len(found) > 1
    assert all(text.startswith("2023 | 12\n") for text in found)
