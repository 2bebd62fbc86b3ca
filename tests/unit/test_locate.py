"""Lines, pages and headings of a span."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.locate import Place, to_chunks
from kb.records import Document, Element, Span
from tests.chunking import tokenizer


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_count_from_1_in_any_convention(newline: str) -> None:
    text = newline.join(["uno", "dos", "", "cuatro"])
    place = Place(Document(text, ()))
    at = text.index("dos")
    assert place.lines(0, 3) == (1, 1)
    assert place.lines(at, at + 3) == (2, 2)
    assert place.lines(0, len(text)) == (1, 4)
    # A span that ends with the line's own break ends on that line.
    assert place.lines(0, 3 + len(newline)) == (1, 1)
    assert place.lines(at, text.index("cuatro") + 1) == (2, 4)


@given(
    st.lists(st.sampled_from(["a", "b ", "\n", "\r\n", "\r", "\r\r\n"]), min_size=1, max_size=30)
)
def test_lines_are_those_an_editor_counts(parts: list[str]) -> None:
    text = "".join(parts)
    place = Place(Document(text, ()))
    lines = text.replace("\r\n", "\0").replace("\r", "\n").replace("\0", "\r\n")
    for at, character in enumerate(text):
        if character in "ab":
            assert place.lines(at, at + 1) == (lines.count("\n", 0, at) + 1,) * 2


def test_extracted_text_has_its_elements_lines() -> None:
    elements = (
        Element("heading", 0, 4, ("Uno",), 1, (3, 3)),
        Element("paragraph", 6, 12, ("Uno",), 0, (5, 9)),
        Element("paragraph", 14, 20, ("Uno",)),
    )
    place = Place(Document("Uno.\n\nhola, \n\nadios.", elements, verbatim=False))
    assert place.lines(0, 4) == (3, 3)
    assert place.lines(0, 12) == (3, 9)
    assert place.lines(13, 20) is None
    assert place.elements(4, 6) == ()
    assert place.elements(3, 7) == elements[:2]


def test_chunks_carry_pages_heading_kinds_and_boxes() -> None:
    box = (1.0, 2.0, 3.0, 4.0)
    elements = (
        Element("heading", 0, 3, ("Uno",), 1, page=2, bbox=box),
        Element("list", 4, 9, ("Uno",), page=3, bbox=box),
        Element("list", 10, 15, ("Dos",), page=3),
    )
    document = Document("Uno\nla vi\nta ta", elements, "Título", "es", verbatim=False)
    first, second = to_chunks(document, [Span(0, 9), Span(10, 15)], tokenizer())
    assert (first.text, first.pages, first.lines) == ("Uno\nla vi", (2, 3), None)
    assert (first.heading, first.kinds) == (("Uno",), ("heading", "list"))
    assert first.bboxes == ((2, *box), (3, *box))
    assert (second.pages, second.heading, second.kinds) == ((3, 3), ("Dos",), ("list",))
    assert {first.title, second.title} == {"Título"}
    assert first.tokens == tokenizer().count(first.text)
