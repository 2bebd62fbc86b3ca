import pytest

from kb.errors import ParseError
from tests.office import epub, parse, rows, zipped

CHAPTERS = {
    "c1.xhtml": "<h1>La presa</h1><p>Agua &amp; piedra.</p>",
    "c2.xhtml": "<p>Sin título propio.</p><nav>menú</nav><script>x()</script>",
}


def test_chapters_in_reading_order_with_the_names_of_the_contents() -> None:
    document = parse("epub", epub(CHAPTERS, {"c1.xhtml": "Uno", "c2.xhtml#p": "La rueda"}))
    assert rows(document) == [
        ("heading", "La presa"),
        ("paragraph", "Agua & piedra."),
        ("heading", "La rueda"),
        ("paragraph", "Sin título propio."),
    ]
    assert [e.lines for e in document.elements] == [None] * 4
    assert document.title == "El molino"
    assert document.metadata == {"title": "El molino", "author": "Ana, Luis", "lang": "es-ES"}


def test_a_book_locked_by_drm_says_so_fonts_may_be() -> None:
    with pytest.raises(ParseError, match="locked by DRM"):
        parse("epub", epub(CHAPTERS, {}, lock="c1.xhtml"))
    assert parse("epub", epub(CHAPTERS, {}, lock="font.otf")).text


def test_what_is_broken_says_so() -> None:
    with pytest.raises(ParseError, match="no package document"):
        parse("epub", zipped({"mimetype": "application/epub+zip"}))
    with pytest.raises(ParseError, match="broken EPUB book"):
        parse("epub", epub(CHAPTERS, {})[:-30])
