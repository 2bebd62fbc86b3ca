from pathlib import Path

from ingest.parse.config import ConfigParser
from ingest.parse.xml.parser import XmlParser
from kb.records import Document
from kb.settings import ParseSettings


def xml(source: str, codec: str = "utf-8") -> Document:
    return XmlParser(ParseSettings()).parse(source.encode(codec), "a.xml")


def blocks(document: Document) -> list[tuple[str, str]]:
    return [(e.kind, document.text[e.start : e.end]) for e in document.elements]


def test_elements_with_plain_values_are_records() -> None:
    found = xml(
        '<?xml version="1.0" encoding="iso-8859-1"?>\n<c xmlns="urn:x">\n'
        '<b id="1"><title>Año</title><p2 u="kg">3</p2></b>\n<b id="2"><n/></b></c>',
        "iso-8859-1",
    )
    assert blocks(found) == [
        ("paragraph", "id: 1\ntitle: Año\np2: 3 (u: kg)"),
        ("paragraph", "id: 2"),
    ]
    assert found.elements[0].lines == (3, 3)


def test_prose_has_headings_and_paragraphs() -> None:
    found = xml("<a><sec><title>Uno</title><p>Hola <b>ya</b>.</p><code>x\n y</code></sec></a>")
    assert blocks(found) == [("heading", "Uno"), ("paragraph", "Hola ya."), ("code", "x\n y")]
    assert found.title == "Uno"


def test_text_between_blocks_is_kept_in_its_place() -> None:
    found = xml("<body>antes <div>uno<p>dos <i>tres</i></p>cuatro</div> despues</body>")
    assert [text for _, text in blocks(found)] == ["antes", "uno", "dos tres", "cuatro", "despues"]


def test_markup_inside_values_is_dropped() -> None:
    assert blocks(xml("<i><d>&lt;p&gt;Uno &lt;b&gt;dos&lt;/b&gt;&lt;/p&gt;</d></i>")) == [
        ("paragraph", "d: Uno dos")
    ]


def test_no_entity_is_expanded_and_no_file_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("SECRETO")
    bomb = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
    source = (
        f'<!DOCTYPE a [<!ENTITY l0 "JAJA">{bomb}<!ENTITY f SYSTEM "file://{secret}">]>'
        "<a><b>&l8;</b><c>&f;</c><d>bien</d></a>"
    )
    found = xml(source)
    assert found.text.count("JAJA") <= 1  # its definition, where the file is kept as text
    assert "SECRETO" not in found.text
    assert "bien" in found.text
    assert "bien" in xml(source.replace("&l8;", "")).text


def test_what_is_not_well_formed_stays_as_text() -> None:
    found = xml("<a>\n<b>uno</c>")
    assert found.text == "<a>\n<b>uno</c>"
    assert found.warnings == ("not well-formed XML (line 2): kept as text",)
    deep = "<a>" * 100_000 + "x"
    assert xml(deep).text == deep


def config(source: str) -> list[tuple[str, str, tuple[str, ...]]]:
    found = ConfigParser(ParseSettings()).parse(source.encode(), "a.yaml")
    assert found.text == source
    return [(e.kind, found.text[e.start : e.end], e.heading) for e in found.elements]


def test_ini_and_toml_sections() -> None:
    assert config("a = 1\n\n# sobre la base\n[db]\nport = 5\n[[x.y]]\nz = 1\n") == [
        ("code", "a = 1", ()),
        ("heading", "# sobre la base\n[db]", ("db",)),
        ("code", "port = 5", ("db",)),
        ("heading", "[[x.y]]", ("x.y",)),
        ("code", "z = 1", ("x.y",)),
    ]


def test_yaml_keys_are_sections_and_each_ends() -> None:
    inner = "".join(f"    k{n}: {n}\n" for n in range(9))
    source = f"v: 1\na:\n  big:\n{inner}  small: 2\nb: |\n  c:\n    d\ne: 5\n"
    assert config(source) == [
        ("code", "v: 1", ()),
        ("heading", "a:", ("a",)),
        ("heading", "big:", ("a", "big")),
        ("code", inner.rstrip("\n"), ("a", "big")),
        ("heading", "small: 2", ("a", "small")),
        ("heading", "b: |", ("b",)),
        ("code", "  c:\n    d", ("b",)),
        ("heading", "e: 5", ("e",)),
    ]
