"""Small office files and books, written by hand: only what a format cannot do without."""

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO

from kb.records import Document
from kb.registry import load
from kb.settings import ParseSettings

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DRAW = "http://schemas.openxmlformats.org/drawingml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
CELLS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGED = "http://schemas.openxmlformats.org/package/2006/relationships"
ODF_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"'
    for name, space in (
        *(("office", "office"), ("text", "text"), ("table", "table"), ("style", "style")),
        *(("draw", "drawing"), ("presentation", "presentation"), ("meta", "meta")),
    )
) + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip
CORE = (
    '<cp:coreProperties xmlns:cp="x" xmlns:dc="y" xmlns:dcterms="z"><dc:title>Plan de riego</dc:title>'
    "<dc:creator>Ana Núñez</dc:creator><cp:keywords>agua, huerta</cp:keywords>"
    "<dcterms:created>2024-05-01T09:30:00Z</dcterms:created></cp:coreProperties>"
)


def parse(parser: str, data: bytes) -> Document:
    document: Document = load("parser", parser)(ParseSettings()).parse(data, "fichero_2024.x")
    return document


def rows(document: Document) -> list[tuple[str, str]]:
    return [(e.kind, document.text[e.start : e.end]) for e in document.elements]


def texts(document: Document, kind: str) -> list[str]:
    return [text for found, text in rows(document) if found == kind]


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as container:
        for name, content in members.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            container.writestr(zipfile.ZipInfo(name), content, stored)
    return packed.getvalue()


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as container:
        return {name: container.read(name) for name in container.namelist()}


def relations(targets: Sequence[tuple[str, str, str]]) -> str:
    """Relations from (id, kind, target)."""
    lines = (
        f'<Relationship Id="{key}" Type="{REL}/{kind}" Target="{target}"/>'
        for key, kind, target in targets
    )
    return f'<Relationships xmlns="{PACKAGED}">{"".join(lines)}</Relationships>'


def docx(body: str, parts: Mapping[str, str] | None = None, space: str = WORD) -> bytes:
    """A Word document; `parts` are further files of its folder, by name without ``.xml``."""
    parts = parts or {}
    made: dict[str, str | bytes] = {
        "_rels/.rels": relations([("r1", "officeDocument", "word/document.xml")]),
        "word/document.xml": f'<w:document xmlns:w="{space}" xmlns:r="{REL}" xmlns:a="{DRAW}" '
        f'xmlns:mc="m" xmlns:wps="p" xmlns:v="v" xmlns:c="c"><w:body>{body}</w:body></w:document>',
        "word/_rels/document.xml.rels": relations([(f"id_{n}", n, f"{n}.xml") for n in parts]),
        "docProps/core.xml": CORE,
    }
    for name, content in parts.items():
        made[f"word/{name}.xml"] = f'<w:{name} xmlns:w="{space}">{content}</w:{name}>'
    return zipped(made)


def para(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def word_table(table: Sequence[Sequence[str]], row_properties: str = "") -> str:
    lines = (
        "".join(f"<w:tc>{cell if '<' in cell else para(cell)}</w:tc>" for cell in row)
        for row in table
    )
    return f"<w:tbl>{''.join(f'<w:tr>{row_properties}{line}</w:tr>' for line in lines)}</w:tbl>"


def pptx(
    slides: Sequence[str], notes: Mapping[int, str] | None = None, attributes: str = ""
) -> bytes:
    """A presentation of slides given as the content of their ``p:spTree``."""
    numbers = range(1, len(slides) + 1)
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="s{n}"/>' for n in numbers)
    spaces = f'xmlns:p="{SLIDES}" xmlns:a="{DRAW}" xmlns:r="{REL}" xmlns:mc="m" xmlns:c="c"'
    made: dict[str, str | bytes] = {
        "_rels/.rels": relations([("r1", "officeDocument", "ppt/presentation.xml")]),
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst>"
        "</p:presentation>",
        # in the archive the slides stand in another order than they are shown
        "ppt/_rels/presentation.xml.rels": relations(
            [(f"s{n}", "slide", f"slides/slide{len(slides) + 1 - n}.xml") for n in numbers]
        ),
        "docProps/core.xml": CORE,
    }
    for number, content in enumerate(slides, 1):
        name = f"slide{len(slides) + 1 - number}"
        made[f"ppt/slides/{name}.xml"] = (
            f"<p:sld {spaces} {attributes if number == 2 else ''}><p:cSld><p:spTree>{content}"
            "</p:spTree></p:cSld></p:sld>"
        )
        if notes and number in notes:
            made[f"ppt/slides/_rels/{name}.xml.rels"] = relations(
                [("n", "notesSlide", f"../notesSlides/n{number}.xml")]
            )
            made[f"ppt/notesSlides/n{number}.xml"] = (
                f"<p:notes {spaces}><p:cSld><p:spTree>{shape(notes[number], 'body')}"
                f"{shape('7', 'sldNum')}</p:spTree></p:cSld></p:notes>"
            )
    return zipped(made)


def shape(text: str, role: str | None = None, level: int = 0) -> str:
    """A shape of paragraphs, one a line; `role` is its placeholder's type, None for a text box."""
    holder = "" if role is None else f'<p:ph type="{role}"/>' if role else "<p:ph/>"
    lines = "".join(
        f'<a:p><a:pPr lvl="{level}"/><a:r><a:t>{line}</a:t></a:r></a:p>'
        for line in text.split("\n")
    )
    return (
        f"<p:sp><p:nvSpPr><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"
    )


def xlsx(
    sheets: Mapping[str, str],
    strings: Sequence[str] = (),
    styles: str = "",
    hidden: str = "",
    extra: Mapping[str, str] | None = None,
) -> bytes:
    """A workbook of sheets given as what stands in ``worksheet``; `styles` as in ``styleSheet``."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="s{n}" state="'
        f'{"hidden" if name == hidden else "visible"}"/>'
        for n, name in enumerate(sheets, 1)
    )
    made: dict[str, str | bytes] = {
        "_rels/.rels": relations([("r1", "officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": f'<workbook xmlns="{CELLS}" xmlns:r="{REL}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            [
                *(
                    (f"s{n}", "worksheet", f"worksheets/sheet{n}.xml")
                    for n in range(1, len(sheets) + 1)
                ),
                ("t", "sharedStrings", "sharedStrings.xml"),
                ("y", "styles", "styles.xml"),
            ]
        ),
        "xl/sharedStrings.xml": f'<sst xmlns="{CELLS}">'
        + "".join(f"<si><t>{text}</t></si>" for text in strings)
        + "</sst>",
        "xl/styles.xml": f'<styleSheet xmlns="{CELLS}">{styles}</styleSheet>',
    }
    for number, content in enumerate(sheets.values(), 1):
        made[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{CELLS}">{content}</worksheet>'
        )
    return zipped({**made, **(extra or {})})


def sheet(table: Sequence[Sequence[str | float | None]], first: int = 1) -> str:
    """``sheetData`` of texts and numbers, from row `first` on; None leaves a cell out."""
    lines: list[str] = []
    for number, row in enumerate(table, first):
        cells = ""
        for at, value in enumerate(row):
            place = f"{chr(65 + at)}{number}"
            if isinstance(value, str):
                cells += f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
            elif value is not None:
                cells += f'<c r="{place}"><v>{value}</v></c>'
        lines.append(f'<row r="{number}">{cells}</row>')
    return f"<sheetData>{''.join(lines)}</sheetData>"


def odf(kind: str, body: str, styles: str = "", encrypted: bool = False) -> bytes:
    """An OpenDocument file; `kind` is ``text``, ``spreadsheet`` or ``presentation``."""
    lock = "<encryption-data/>" if encrypted else ""
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": f"<office:document-content {ODF_SPACES}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
            "</office:body></office:document-content>",
            "meta.xml": f"<office:document-meta {ODF_SPACES}><office:meta><dc:title>Plan de riego"
            "</dc:title><meta:keyword>agua</meta:keyword><meta:keyword>huerta</meta:keyword>"
            "</office:meta></office:document-meta>",
            "META-INF/manifest.xml": f'<manifest xmlns="m"><file-entry>{lock}</file-entry></manifest>',
        }
    )


def epub(chapters: Mapping[str, str], labels: Mapping[str, str], lock: str = "") -> bytes:
    """A book of chapters (bodies by file name); `labels` is its table of contents."""
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    links = "".join(f'<li><a href="{name}">{label}</a></li>' for name, label in labels.items())
    made: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="c"><rootfiles><rootfile full-path="OPS/book.opf"/>'
        "</rootfiles></container>",
        "OPS/book.opf": '<package xmlns="o" xmlns:dc="d"><metadata><dc:title>El molino</dc:title>'
        "<dc:creator>Ana</dc:creator><dc:creator>Luis</dc:creator><dc:language>es-ES</dc:language>"
        f'</metadata><manifest><item id="n" href="nav.xhtml" properties="nav" '
        f'media-type="application/xhtml+xml"/>{items}</manifest><spine><itemref idref="n"/>{spine}'
        "</spine></package>",
        "OPS/nav.xhtml": f"<html><body><nav><ol>{links}</ol></nav></body></html>",
    }
    for name, body in chapters.items():
        made[f"OPS/{name}"] = f"<html><head><title>x</title></head><body>{body}</body></html>"
    if lock:
        made["META-INF/encryption.xml"] = (
            '<encryption xmlns="e"><EncryptedData><EncryptionMethod Algorithm="aes"/><CipherData>'
            f'<CipherReference URI="OPS/{lock}"/></CipherData></EncryptedData></encryption>'
        )
    return zipped(made)


def ole(stream: str, inner: str = "") -> bytes:
    """The header and the directory of an OLE container that holds an empty stream of this name.

    `inner` is a stream of a storage in it.
    """

    def entry(name: str, kind: int, child: int, right: int = -1) -> bytes:
        wide = (name + "\0").encode("utf-16-le")
        numbers = b"".join(n.to_bytes(4, "little", signed=True) for n in (-1, right, child))
        head = wide.ljust(64, b"\0") + len(wide).to_bytes(2, "little") + bytes((kind, 1))
        return (head + numbers).ljust(128, b"\0")

    storage = entry("Pool", 1, 3) + entry(inner, 2, -1) if inner else b""
    directory = entry("Root Entry", 5, 1) + entry(stream, 2, -1, 2 if inner else -1) + storage
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(30, b"\0") + (9).to_bytes(2, "little")
    header = header.ljust(48, b"\0") + (1).to_bytes(4, "little")  # the directory's sector
    table = b"".join(n.to_bytes(4, "little", signed=True) for n in (-3, -2)).ljust(512, b"\xff")
    return header.ljust(76, b"\0").ljust(512, b"\0") + table + directory.ljust(512, b"\0")
