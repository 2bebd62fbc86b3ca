"""Windows cover a long document, cut it by content, and give chunks their places in the whole."""

import random

import pytest

from ingest.chunk.windows import windows
from ingest.locate import to_chunks
from kb.records import Chunk, Document, Element
from tests.chunking import check, document, make_chunker, tokenizer
from tests.unit.test_recursive_chunks import prose, sectioned

LEAST, MOST = 2000, 8000


def long_document(seed: int) -> Document:
    return document(*sectioned(random.Random(seed), 40))


def chunks(doc: Document) -> list[Chunk]:
    chunker = make_chunker("recursive", size=64)
    return [
        window.restored(chunk)
        for window in windows(doc, LEAST, MOST)
        for chunk in to_chunks(window.document, chunker.split(window.document), tokenizer())
    ]


def test_a_short_document_is_itself() -> None:
    doc = document(("paragraph", "one"))
    (only,) = windows(doc)
    assert only.document is doc


@pytest.mark.parametrize("seed", range(3))
def test_windows_cover_the_text_and_begin_at_elements(seed: int) -> None:
    doc = long_document(seed)
    found = list(windows(doc, LEAST, MOST))
    assert len(found) > 3
    assert "".join(w.document.text for w in found) == doc.text
    starts = {element.start for element in doc.elements}
    for window in found:
        assert len(window.document.text) <= MOST
        assert window.start == 0 or window.start in starts
    assert sum(len(w.document.elements) for w in found) == len(doc.elements)


@pytest.mark.parametrize("seed", range(3))
def test_chunks_keep_the_promises_in_the_whole(seed: int) -> None:
    doc = long_document(seed)
    found = chunks(doc)
    check(doc, found, 64)  # type: ignore[arg-type]
    for chunk in found:
        assert doc.text[chunk.start : chunk.end] == chunk.text
        first = doc.text.count("\n", 0, chunk.start) + 1
        last = doc.text.count("\n", 0, chunk.end - 1) + 1
        assert chunk.lines == (first, last)
        assert chunk.heading == next(
            e.heading for e in doc.elements if e.start <= chunk.start < e.end
        )


@pytest.mark.parametrize("join", ["\n", " ", ""])
@pytest.mark.parametrize("piece", ["wórd", "e\u0301", "\U0001f468\u200d\U0001f469", "x\r"])
def test_one_element_longer_than_a_window_is_cut_between_graphemes(join: str, piece: str) -> None:
    text = join.join([piece] * 9000)
    doc = Document(text, (Element("paragraph", 0, len(text)),))
    assert "".join(w.document.text for w in windows(doc, LEAST, MOST)) == text
    check(doc, chunks(doc), 64)  # type: ignore[arg-type]


def test_an_insertion_moves_no_far_window() -> None:
    rng = random.Random(5)
    paragraphs = [prose(rng, rng.randint(2, 9)) for _ in range(600)]
    more = [prose(rng, 3), *paragraphs]
    before, after = (document(*(("paragraph", p) for p in ps)) for ps in (paragraphs, more))
    texts = [w.document.text for w in windows(before, LEAST, MOST)]
    changed = {w.document.text for w in windows(after, LEAST, MOST)} - set(texts)
    assert len(texts) > 20
    assert len(changed) <= 4
