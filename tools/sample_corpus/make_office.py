"""Makes the office files and the book of ``sample_corpus/formats/files``.

Run it with ``uv run python tools/sample_corpus/make_office.py``. The same bytes come out each time:
members carry no date, and nothing is random.
"""

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

FORMATS = Path(__file__).resolve().parents[2] / "sample_corpus" / "formats" / "files"
OFFICE = "http://schemas.openxmlformats.org"
MAIN = f"{OFFICE}/wordprocessingml/2006/main"
DRAWING = f"{OFFICE}/drawingml/2006/main"
SLIDES = f"{OFFICE}/presentationml/2006/main"
CELLS = f"{OFFICE}/spreadsheetml/2006/main"
LINKS = f"{OFFICE}/officeDocument/2006/relationships"
ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in (
        *(("office", "office"), ("text", "text"), ("table", "table")),
        *(("draw", "drawing"), ("presentation", "presentation"), ("svg", "svg-compatible")),
    )
)
Rows = Sequence[Sequence[str]]


def packed(members: Mapping[str, str]) -> bytes:
    """A zip container of texts by name; ``mimetype`` is stored as it is, as its formats demand."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as container:
        for name, text in members.items():
            how = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            container.writestr(zipfile.ZipInfo(name), text.encode(), how, 9)
    return out.getvalue()


def package(
    main: str, kind: str, parts: Mapping[str, tuple[str, str]], title: str
) -> dict[str, str]:
    """An Office package: `parts` are content types and texts by name, `main` is one of them."""
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.'
        f'{kind}.{content}+xml"/>'
        for name, (content, _) in parts.items()
    )
    return {
        "[Content_Types].xml": f'<Types xmlns="{OFFICE}/package/2006/content-types"><Default Extension='
        '"rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default '
        f'Extension="xml" ContentType="application/xml"/>{overrides}<Override PartName="/docProps/'
        'core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{OFFICE}/package/2006/relationships"><Relationship '
        f'Id="r1" Type="{LINKS}/officeDocument" Target="{main}"/><Relationship Id="r2" Type="{OFFICE}'
        '/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>'
        "</Relationships>",
        "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{OFFICE}/package/2006/metadata/'
        'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>Noria del Sarmo</dc:creator>"
        "</cp:coreProperties>",
        **{name: text for name, (_, text) in parts.items()},
    }


def links(targets: Sequence[tuple[str, str]]) -> str:
    """Relations r1, r2 … from (kind, target)."""
    lines = "".join(
        f'<Relationship Id="r{n}" Type="{LINKS}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{lines}</Relationships>'


def word() -> bytes:
    """A manual with a style in Spanish, a numbered list, a table, a footnote and tracked changes."""

    def run(text: str, tag: str = "t") -> str:
        return f'<w:r><w:{tag} xml:space="preserve">{escape(text)}</w:{tag}></w:r>'

    def line(content: str, properties: str = "") -> str:
        return f"<w:p><w:pPr>{properties}</w:pPr>{content}</w:p>"

    heading = '<w:pStyle w:val="Ttulo1"/>'
    numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'
    cells = [
        ("Compuerta", "Apertura", "Engrase"),
        ("C-1 Azud", "40 cm", "cada 6 semanas"),
        ("C-2 Aliviadero", "25 cm", "cada 12 semanas"),
    ]
    rows = "".join(
        "<w:tr>" + "".join(f"<w:tc>{line(run(cell))}</w:tc>" for cell in row) + "</w:tr>"
        for row in cells
    )
    changed = (
        run("El canal se vacía ")
        + f'<w:del w:id="1" w:author="Ana">{run("en agosto", "delText")}</w:del>'
        + f'<w:ins w:id="2" w:author="Ana">{run("la tercera semana de octubre")}</w:ins>'
        + run(", cuando baja el riego.")
        + '<w:r><w:footnoteReference w:id="2"/></w:r>'
    )
    body = (
        line(run("Vaciado del canal"), heading)
        + line(changed)
        + line(run("Avise a la comunidad de regantes."), numbered)
        + line(run("Cierre la compuerta C-1."), numbered)
        + line(run("Compuertas"), heading)
        + f"<w:tbl>{rows}</w:tbl>"
        + line("")
    )
    parts = {
        "word/document.xml": (
            "document.main",
            f'<w:document xmlns:w="{MAIN}"><w:body>{body}</w:body></w:document>',
        ),
        "word/styles.xml": (
            "styles",
            f'<w:styles xmlns:w="{MAIN}"><w:style w:type="paragraph" w:styleId="Ttulo1">'
            '<w:name w:val="heading 1"/></w:style></w:styles>',
        ),
        "word/numbering.xml": (
            "numbering",
            f'<w:numbering xmlns:w="{MAIN}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0">'
            '<w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
            '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
        ),
        "word/footnotes.xml": (
            "footnotes",
            f'<w:footnotes xmlns:w="{MAIN}"><w:footnote w:id="2">'
            f"{line(run('Salvo orden de la Confederación.'))}</w:footnote></w:footnotes>",
        ),
    }
    title = "Mantenimiento del canal de Hontanar"
    made = package("word/document.xml", "wordprocessingml", parts, title)
    kinds = [
        ("styles", "styles.xml"),
        ("numbering", "numbering.xml"),
        ("footnotes", "footnotes.xml"),
    ]
    made["word/_rels/document.xml.rels"] = links(kinds)
    return packed(made)


def presentation() -> bytes:
    """Two slides; the second has a table and notes."""
    spaces = f'xmlns:p="{SLIDES}" xmlns:a="{DRAWING}" xmlns:r="{LINKS}"'
    names = (
        '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    )

    def text(content: str) -> str:
        lines = (f"<a:p><a:r><a:t>{escape(t)}</a:t></a:r></a:p>" for t in content.split("\n"))
        return f"<a:bodyPr/>{''.join(lines)}"

    def shape(number: int, role: str, content: str) -> str:
        return (
            f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{role}"/><p:cNvSpPr/><p:nvPr>'
            f'<p:ph type="{role}"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody>{text(content)}</p:txBody></p:sp>'
        )

    def page(tag: str, content: str) -> str:
        return f"<p:{tag} {spaces}><p:cSld><p:spTree>{names}{content}</p:spTree></p:cSld></p:{tag}>"

    cells = [
        ("Hamlet", "Households", "Share"),
        ("Robledal", "112", "38 %"),
        ("Hontanar", "67", "23 %"),
    ]
    rows = "".join(
        '<a:tr h="1">'
        + "".join(f"<a:tc><a:txBody>{text(cell)}</a:txBody></a:tc>" for cell in row)
        + "</a:tr>"
        for row in cells
    )
    table = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="t"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="table"><a:tbl><a:tblPr '
        f'firstRow="1"/>{rows}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>'
    )
    parts = {
        "ppt/presentation.xml": (
            "presentation.main",
            f'<p:presentation {spaces}><p:sldIdLst><p:sldId id="256" r:id="r1"/><p:sldId id="257" '
            'r:id="r2"/></p:sldIdLst></p:presentation>',
        ),
        "ppt/slides/slide1.xml": (
            "slide",
            page("sld", shape(2, "ctrTitle", "Open day at the Sarmo turbine")),
        ),
        "ppt/slides/slide2.xml": (
            "slide",
            page("sld", shape(2, "title", "Who gets the power") + table),
        ),
        "ppt/notesSlides/notes2.xml": (
            "notesSlide",
            page("notes", shape(2, "body", "Mention that the school pays nothing until 2031.")),
        ),
    }
    made = package("ppt/presentation.xml", "presentationml", parts, "Open day 2025")
    slides = [("slide", "slides/slide1.xml"), ("slide", "slides/slide2.xml")]
    made["ppt/_rels/presentation.xml.rels"] = links(slides)
    made["ppt/slides/_rels/slide2.xml.rels"] = links([("notesSlide", "../notesSlides/notes2.xml")])
    return packed(made)


def workbook() -> bytes:
    """Stock of spare parts: dates, percents and postal codes that only their format shows."""
    rows: list[str] = []
    header = ("Part", "Counted on", "Shelf", "Postcode of the depot", "Share of a year's use")
    table: list[tuple[str, int, str, int, float]] = [
        ("R123-78 shaft seal", 45413, "B4", 8001, 0.25),
        ("R123-87 impeller nut", 45414, "B7", 8001, 0.125),
        ("Carbon brush for the Vega exciter", 45420, "D2", 42003, 1.5),
    ]
    rows.append("".join(f'<c t="inlineStr"><is><t>{escape(name)}</t></is></c>' for name in header))
    for part, day, shelf, code, share in table:
        rows.append(
            f'<c t="inlineStr"><is><t>{part}</t></is></c><c s="1"><v>{day}</v></c>'
            f'<c t="inlineStr"><is><t>{shelf}</t></is></c><c s="2"><v>{code}</v></c>'
            f'<c s="3"><v>{share}</v></c>'
        )
    data = "".join(f'<row r="{n}">{row}</row>' for n, row in enumerate(rows, 1))
    parts = {
        "xl/workbook.xml": (
            "sheet.main",
            f'<workbook xmlns="{CELLS}" xmlns:r="{LINKS}"><sheets><sheet name="Stock" sheetId="1" '
            'r:id="r1"/></sheets></workbook>',
        ),
        "xl/worksheets/sheet1.xml": (
            "worksheet",
            f'<worksheet xmlns="{CELLS}"><sheetData>{data}</sheetData></worksheet>',
        ),
        "xl/styles.xml": (
            "styles",
            f'<styleSheet xmlns="{CELLS}"><numFmts count="1"><numFmt numFmtId="164" formatCode="00000"/>'
            '</numFmts><fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill>'
            '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
            "<cellXfs "
            'count="4"><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="10"/></cellXfs>'
            "</styleSheet>",
        ),
    }
    made = package("xl/workbook.xml", "spreadsheetml", parts, "Spare parts in stock")
    kinds = [("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")]
    made["xl/_rels/workbook.xml.rels"] = links(kinds)
    return packed(made)


def open_document(kind: str, body: str) -> bytes:
    """An OpenDocument file; `kind` is ``text``, ``spreadsheet`` or ``presentation``."""
    media = f"application/vnd.oasis.opendocument.{kind}"
    return packed(
        {
            "mimetype": media,
            "content.xml": f'<office:document-content {ODF} office:version="1.3"><office:body>'
            f"<office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
            "META-INF/manifest.xml": '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:'
            f'xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="{media}"'
            '/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
            "</manifest:manifest>",
        }
    )


def open_text() -> bytes:
    """An inspection in Spanish with a note."""
    body = (
        '<text:h text:outline-level="1">Inspección del puente de la acequia</text:h><text:p>La viga norte '
        "tiene una fisura de 14 mm<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>Medida con galga el 9 de marzo.</text:p></text:note-body></text:note> junto al apoyo."
        "</text:p><text:list><text:list-item><text:p>Limitar el paso a carretillas.</text:p>"
        "</text:list-item></text:list>"
    )
    return open_document("text", body)


def open_sheet() -> bytes:
    """River gaugings: a merged station, and a last row far below."""

    def row(*cells: str, attributes: str = "") -> str:
        inner = "".join(
            cell
            if cell.startswith("<")
            else f"<table:table-cell><text:p>{escape(cell)}</text:p></table:table-cell>"
            for cell in cells
        )
        return f"<table:table-row {attributes}>{inner}</table:table-row>"

    spanned = '<table:table-cell table:number-rows-spanned="2">'
    station = f"{spanned}<text:p>Molino viejo</text:p></table:table-cell>"
    blank = row("<table:table-cell/>", attributes='table:number-rows-repeated="1048000"')
    body = (
        f'<table:table table:name="Aforos">{row("Estación", "Mes", "Caudal medio")}'
        f"{row(station, 'enero', '3,4 m³/s')}{row('<table:covered-table-cell/>', 'julio', '0,6 m³/s')}"
        f"{blank}</table:table>"
    )
    return open_document("spreadsheet", body)


def open_slides() -> bytes:
    """One slide with notes."""
    body = (
        '<draw:page draw:name="1"><draw:frame presentation:class="title"><draw:text-box><text:p>Training '
        "for the night shift</text:p></draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>Two "
        "people, one radio, no loose sleeves.</text:p></draw:text-box></draw:frame><presentation:notes>"
        "<draw:frame><draw:text-box><text:p>Show the torch with the red filter.</text:p></draw:text-box>"
        "</draw:frame></presentation:notes></draw:page>"
    )
    return open_document("presentation", body)


def book() -> bytes:
    """Two chapters; the second has its heading only in the table of contents."""
    chapters = {
        "uno.xhtml": "<h1>La rueda de 1911</h1><p>Benito Arce labró los cangilones en madera de olmo.</p>",
        "dos.xhtml": "<p>La riada de 1962 se llevó la rueda; quedó el eje.</p>",
    }
    labels = {"uno.xhtml": "La rueda de 1911", "dos.xhtml": "La riada"}
    items = "".join(
        f'<item id="c{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    contents = "".join(f'<li><a href="{name}">{label}</a></li>' for name, label in labels.items())

    def page(content: str) -> str:
        return (
            '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head>'
            f"<title>Molino</title></head><body>{content}</body></html>"
        )

    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:'
            'xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type='
            '"application/oebps-package+xml"/></rootfiles></container>',
            "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">noria-molino'
            "</dc:identifier><dc:title>Historia del molino viejo</dc:title><dc:creator>Lucía Núñez"
            '</dc:creator><dc:language>es</dc:language></metadata><manifest><item id="nav" '
            'href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
            f"{items}</manifest><spine>{spine}</spine></package>",
            "nav.xhtml": page(f'<nav epub:type="toc"><ol>{contents}</ol></nav>'),
            **{name: page(content) for name, content in chapters.items()},
        }
    )


def rich_text() -> bytes:
    """A supplier's letter with accents of Windows-1252 and a sign beyond it."""
    return (
        r"{\rtf1\ansi\ansicpg1252{\stylesheet{\s0 Normal;}{\s1 heading 1;}}"
        r"{\info{\title Offer 88 from Ibarlan}}"
        r"\pard\s1 Offer 88\par\pard Ibarlan S. L. (Eibar) offers Noria twelve draft tubes at "
        r"1,940 \'80 each, painted in the colour of the Pe\'f1alarga sluice.\par"
        r"\pard The price holds until the tolerance of \u177?0.2 mm is asked for.\par}"
    ).encode("ascii")


FILES = {
    "mantenimiento-canal.docx": word,
    "open-day.pptx": presentation,
    "spare-parts.xlsx": workbook,
    "inspeccion-puente.odt": open_text,
    "aforos.ods": open_sheet,
    "night-shift.odp": open_slides,
    "historia-molino.epub": book,
    "offer-88.rtf": rich_text,
}


def main() -> None:
    """Makes all of them."""
    FORMATS.mkdir(exist_ok=True)
    for name, make in FILES.items():
        (FORMATS / name).write_bytes(make())
        print(f"formats/{name}")


if __name__ == "__main__":
    main()
