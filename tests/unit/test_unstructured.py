"""The adapter of unstructured; what needs the package is skipped where it is not installed."""

import io
import zipfile
from pathlib import Path

import pytest

from ingest.parse.choose import parser_for
from ingest.parse.unstructured.formats import OLE, format_of, ole_format
from ingest.parse.unstructured.parser import UnstructuredParser
from kb.configure import load_settings
from kb.errors import ParseError, Unavailable
from kb.records import Document
from kb.settings import ParseSettings

WANTED = ParseSettings(engine="unstructured")
HTML = (
    b"<!doctype html><title>x</title><h1>Riego</h1><p>El caudal se reparte cada lunes. Otra frase.</p>"
    b"<table><tr><th>Modelo<th>Caudal<tr><td>BK12<td>45</table><ul><li>uno<li>dos</ul>"
)
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def ole(stream: str) -> bytes:
    return OLE + bytes(100) + stream.encode("utf-16-le") + bytes(100)


def docx() -> bytes:
    paragraphs = "".join(
        f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
        for text in ("El caudal de la acequia se reparte cada lunes.", "Nadie abre sin permiso.")
    )
    files = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{paragraphs}</w:body></w:document>',
    }
    return zipped(files)


def zipped(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "native", "name"),
    [
        (docx(), "", "docx"),
        (zipped({"ppt/presentation.xml": ""}), "", "pptx"),
        (zipped({"xl/workbook.xml": ""}), "", "xlsx"),
        (zipped({"mimetype": "application/epub+zip"}), "", "epub"),
        (zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "", "odt"),
        (zipped({"a.txt": "word/document.xml"}), "", None),
        (b"PK\x03\x04 cut off", "", None),
        (b"{\\rtf1 hola}", "", "rtf"),
        (HTML, "html", "html"),
        (b"# hola", "markdown", None),
        (b"%PDF-1.7", "pdf", None),
        (ole("WordDocument"), "", "doc"),
        (ole("PowerPoint Document"), "", "ppt"),
        (ole("__substg1.0_001A001F"), "", "msg"),
        (ole("Workbook"), "", "xlsx"),
        (ole("whatever"), "", None),
    ],
)
def test_formats_are_told_by_their_bytes(data: bytes, native: str, name: str | None) -> None:
    found = format_of(data, native)
    assert (found.name if found else None) == name


def test_it_reads_what_it_is_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parser_for(HTML, "a.html", WANTED) == "unstructured"
    assert parser_for(HTML, "a.html", ParseSettings()) == "html"
    assert parser_for(b"# hola", "a.md", WANTED) == "markdown"
    assert parser_for(b"%PDF-1.7\n", "a.pdf", WANTED) == "pdf"
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ParseError):
        parser_for(ole("WordDocument"), "a.doc", ParseSettings())
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: "there")
    assert parser_for(ole("WordDocument"), "a.doc", ParseSettings()) == "unstructured"


def test_without_the_package_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(Unavailable, match=r"uv sync --extra unstructured") as caught:
        load_settings(flags={"parse.engine": "unstructured"}, environment={})
    assert caught.value.exit_code == 6


def read(data: bytes, monkeypatch: pytest.MonkeyPatch) -> Document:
    pytest.importorskip("unstructured", reason="needs: uv sync --extra unstructured")
    monkeypatch.setattr("urllib.request.urlopen", None)  # nothing is fetched
    return UnstructuredParser(WANTED).parse(data, "")


def test_html_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    document = read(HTML, monkeypatch)
    kinds = [(e.kind, e.level, document.text[e.start : e.end]) for e in document.elements]
    assert ("heading", 1, "Riego") in kinds
    assert ("table", 0, "Modelo | Caudal\nBK12 | 45") in kinds
    assert ("paragraph", 0, "El caudal se reparte cada lunes. Otra frase.") in kinds
    assert [text for kind, _, text in kinds if kind == "list"] == ["uno", "dos"]
    assert document.title == "Riego"


def test_docx_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    document = read(docx(), monkeypatch)
    assert "El caudal de la acequia se reparte cada lunes." in document.text
    assert document.language == "es"


def test_damage_and_missing_converters_for_real(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ParseError, match=r"cannot read this Word document"):
        read(zipped({"word/document.xml": "<a"}), monkeypatch)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ParseError, match=r"LibreOffice, .*apt-get install libreoffice-writer"):
        read(ole("WordDocument"), monkeypatch)


def test_an_ole_file_may_hold_anything() -> None:
    assert ole_format(OLE) is None
