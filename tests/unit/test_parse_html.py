import pytest

from ingest.parse.html.parser import HtmlParser
from kb.records import Document
from kb.settings import ParseSettings


def parse(source: str | bytes) -> Document:
    data = source.encode() if isinstance(source, str) else source
    return HtmlParser(ParseSettings()).parse(data, "a-page.html")


def rows(document: Document) -> list[tuple[str, str]]:
    return [(e.kind, document.text[e.start : e.end]) for e in document.elements]


PAGE = """<!doctype html><html lang="en">
<head><title>Guía de riego - Sitio</title>
<meta name="author" content="Ana"><meta property="article:published_time" content="2024-05-01">
<script>var x = "no";</script><style>p {}</style></head>
<body>
<nav>Inicio Menú</nav>
<header>El sitio</header>
<div id="cookie-banner">Acepte las cookies</div>
<div role="search">Buscar</div>
<main>
<h1>Gu&iacute;a de&nbsp;riego<a href="#x">¶</a></h1>
<p>Hola <b>mun</b>do, esto
es   la prueba.<br>Otra.</p>
suelto
<ul><li>uno<ul><li>dos</li></ul></li><li><p>tres</p></li></ul>
<h2>Datos</h2>
<table><caption>Tabla 1</caption><tr><th>A</th><th>B</th></tr>
<tr><td>1</td><td>2<br>x</td></tr></table>
<pre>a
  b</pre>
<blockquote><p>cita</p></blockquote>
<figure><img src="data:image/png;base64,AAAA" alt="un dibujo"><figcaption>pie de foto</figcaption></figure>
<div class="admonition note"><p>ojo</p></div>
</main>
<aside>aparte</aside>
<footer>pie</footer>
</body></html>"""


def test_blocks_of_a_page() -> None:
    document = parse(PAGE)
    assert rows(document) == [
        ("heading", "Guía de riego"),
        ("paragraph", "Hola mundo, esto es la prueba.\nOtra."),
        ("paragraph", "suelto"),
        ("list", "- uno\n  - dos\n- tres"),
        ("heading", "Datos"),
        ("caption", "Tabla 1"),
        ("table", "A | B\n1 | 2 x"),
        ("code", "a\n  b"),
        ("quote", "cita"),
        ("paragraph", "un dibujo"),
        ("caption", "pie de foto"),
        ("note", "ojo"),
    ]
    assert document.elements[-1].heading == ("Guía de riego", "Datos")
    assert not document.verbatim


def test_lines_are_those_of_the_source() -> None:
    document = parse(PAGE)
    lines = {document.text[e.start : e.end]: e.lines for e in document.elements}
    source = PAGE.split("\n")
    assert lines["suelto"] == (source.index("suelto") + 1,) * 2
    first = next(i for i, line in enumerate(source, 1) if line.startswith("<p>Hola"))
    assert lines["Hola mundo, esto es la prueba.\nOtra."] == (first, first + 1)
    assert lines["A | B\n1 | 2 x"] == (first + 5, first + 6)


def test_metadata_and_language_of_the_text_not_of_the_template() -> None:
    document = parse(PAGE)
    assert document.metadata == {
        "title": "Guía de riego - Sitio",
        "lang": "en",
        "author": "Ana",
        "date": "2024-05-01",
    }
    assert document.language == "es"
    assert document.title == "Guía de riego"


def test_of_two_h1_the_one_named_in_the_title_is_the_page() -> None:
    page = "<title>Riego - El sitio</title><body><h1>El sitio</h1><h1>Riego</h1><p>x"
    assert parse(page).title == "Riego"


@pytest.mark.parametrize("depth", [300, 3000, 50_000])
def test_deep_nesting_is_read(depth: int) -> None:
    page = f"<body>{'<div>' * depth}aguja{'</div>' * depth}<p>después</p>"
    assert parse(page).text == "aguja\n\ndespués"


def test_a_page_of_nothing_but_navigation_is_kept() -> None:
    document = parse("<nav><ul><li>uno</li></ul></nav>")
    assert document.text == "- uno"
    assert "navigation" in document.warnings[0]


def test_a_page_that_is_all_named_sidebar_is_kept() -> None:
    assert parse('<div class="sidebar"><p>un texto normal, sin enlaces</p></div>').text
    links = '<p>El texto, que es más largo que la barra.</p><div class="sidebar"><a href=x>enlace</a></div>'
    assert "enlace" not in parse(links).text


@pytest.mark.parametrize("page", ["", "  ", "<!-- x -->", "<script>x</script>"])
def test_nothing_in_it_is_said(page: str) -> None:
    document = parse(page)
    assert (document.text, document.elements) == ("", ())
    assert document.warnings == ("no text in it",)
    assert document.title == "a page"


def test_broken_markup_loses_no_text() -> None:
    document = parse("<p>uno<p>dos<table><tr><td>tres<b>cuatro</td></p>cinco &amp &bogus; <li>seis")
    for word in ("uno", "dos", "tres", "cuatro", "cinco & &bogus;", "seis"):
        assert word in document.text


def test_layout_tables_are_read_as_blocks() -> None:
    page = "<table><tr><td><h1>A</h1><p>uno</p></td><td><p>dos</p></td></tr></table>"
    assert rows(parse(page)) == [("heading", "A"), ("paragraph", "uno"), ("paragraph", "dos")]


def test_charsets() -> None:
    assert parse("<p>El niño".encode("cp1252")).text == "El niño"
    assert parse('<meta charset="utf-8"><p>año'.encode("utf-16")).text == "año"
    assert parse("<meta charset=windows-1251><p>Привет".encode("cp1251")).text == "Привет"
    assert parse("<p>a&#0;b\0c&#xD800;d").text == "a\ufffdb\ufffdc\ufffdd"
