"""What is joined is the document's own slice, whatever was cut and however it overlaps."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.locate import to_chunks
from kb.records import Chunk, Document
from kb.registry import names
from query.joined import joined
from tests.chunking import make_chunker, tokenizer

PARTS = st.sampled_from(
    [
        "La bomba gira. ",
        "El pozo ",
        "\n",
        "\n\n",
        "\r\n",
        "   ",
        "def f():\n    return 1\n",
        "中文。",
    ]
)
TEXT = st.lists(PARTS | st.text("ab .\n", max_size=9), max_size=60).map("".join)


def same(found: str, document: Document, chunks: list[Chunk]) -> None:
    start = chunks[0].start
    end = max(chunk.end for chunk in chunks)
    assert len(found) == end - start
    held = {at for chunk in chunks for at in range(chunk.start, chunk.end)}
    for at, sign in enumerate(found, start):
        if at in held:
            assert sign == document.text[at]
        else:
            assert sign.isspace()
            assert document.text[at].isspace()


@pytest.mark.parametrize("name", names("chunker"))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=TEXT, size=st.integers(8, 40), share=st.integers(0, 99), data=st.data())
def test_joined_chunks_are_the_documents_slice(
    name: str, text: str, size: int, share: int, data: st.DataObject
) -> None:
    document = Document(text, ())
    spans = make_chunker(name, size=size, overlap=f"{share}%").split(document)
    chunks = list(to_chunks(document, spans, tokenizer()))
    if not chunks:
        return
    first = data.draw(st.integers(0, len(chunks) - 1))
    last = data.draw(st.integers(first, len(chunks) - 1))
    same(joined(chunks[first : last + 1]), document, chunks[first : last + 1])


@settings(max_examples=200, deadline=None)
@given(
    text=st.text("ab\n ", min_size=1, max_size=40),
    cuts=st.lists(st.tuples(st.integers(0, 39), st.integers(1, 40)), min_size=1, max_size=8),
)
def test_any_rising_spans(text: str, cuts: list[tuple[int, int]]) -> None:
    """Also where one chunk lies inside another, and where non-blank text lies in none."""
    starts = {start: start + length for start, length in cuts if start < len(text)}
    chunks = [
        Chunk("", "", "a", start, min(end, len(text)), text[start:end])
        for start, end in sorted(starts.items())
    ]
    if not chunks:
        return
    found = joined(chunks)
    held = {at for chunk in chunks for at in range(chunk.start, chunk.end)}
    end = max(chunk.end for chunk in chunks)
    expected = [text[at] if at in held else " " for at in range(chunks[0].start, end)]
    assert [
        sign if at in held else " " for at, sign in enumerate(found, chunks[0].start)
    ] == expected
