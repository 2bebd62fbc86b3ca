import random
import re
from itertools import pairwise

import pytest

from kb.records import Document
from tests.chunking import check, document, make_chunker, plain, slices, tokenizer

WORDS = re.findall(
    r"\w+",
    "casa río montaña código servidor usuario tabla índice red archivo prueba norte valor cliente "
    "the system reads every file and writes one index for each folder that changes over time",
)


def prose(rng: random.Random, sentences: int) -> str:
    made = (
        " ".join(rng.choices(WORDS, k=rng.randint(6, 16))).capitalize() for _ in range(sentences)
    )
    return ". ".join(made) + "."


def sectioned(rng: random.Random, sections: int) -> list[tuple[str, ...]]:
    blocks: list[tuple] = [("heading", "# Manual", 1)]
    for i in range(sections):
        blocks.append(("heading", f"## Parte {i}", 2))
        for j in range(rng.randint(1, 3)):
            blocks.append(("heading", f"### Punto {i}.{j}", 3))
            blocks += [
                ("paragraph", prose(rng, rng.randint(2, 7))) for _ in range(rng.randint(1, 4))
            ]
            if rng.random() < 0.3:
                blocks.append(("code", "```\n" + prose(rng, 4).replace(". ", "\n") + "\n```"))
    return blocks


class Change:
    """How many chunks a document has, and how many chunks of another have a text it has not."""

    def __init__(self, before: Document, **settings: object) -> None:
        self.chunker = make_chunker("recursive", **settings)
        self.old = slices(before, self.chunker.split(before))

    def count(self, after: Document) -> int:
        return len(set(slices(after, self.chunker.split(after))) - set(self.old))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("overlap", [0, "15%"])
def test_an_edited_paragraph_changes_at_most_3_chunks_of_300(seed: int, overlap: int | str) -> None:
    rng = random.Random(seed)
    blocks = sectioned(rng, 130)
    places = [i for i, block in enumerate(blocks) if block[0] == "paragraph"]
    change = Change(document(*blocks), size=128, overlap=overlap)
    assert len(change.old) >= 250
    for _ in range(2):
        at = rng.choice(places)
        edited = [*blocks]
        edited[at] = ("paragraph", prose(rng, rng.randint(1, 8)))
        assert 1 <= change.count(document(*edited)) <= 3


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("blank_lines", [True, False])
@pytest.mark.parametrize("overlap", [0, "15%"])
def test_a_paragraph_put_near_the_top_of_a_flat_text_changes_at_most_8_chunks(
    seed: int, blank_lines: bool, overlap: int | str
) -> None:
    rng = random.Random(seed)
    paragraphs = [prose(rng, rng.randint(2, 9)) for _ in range(360)]
    more = [*paragraphs[:2], prose(rng, 5), *paragraphs[2:]]
    if blank_lines:
        before = document(*(("paragraph", p) for p in paragraphs))
        after = document(*(("paragraph", p) for p in more))
    else:
        before, after = plain(" ".join(paragraphs)), plain(" ".join(more))
    change = Change(before, size=128, overlap=overlap)
    assert len(change.old) >= 250
    assert 1 <= change.count(after) <= 8


def test_a_heading_goes_with_what_follows_it() -> None:
    rng = random.Random(3)
    doc = document(*sectioned(rng, 60))
    headings = [e for e in doc.elements if e.kind == "heading"]
    for size in (32, 64, 200):
        ends = {span.end for span in make_chunker("recursive", size=size).split(doc)}
        assert not ends & {heading.end for heading in headings}


def test_a_heading_stays_with_the_first_words_of_a_sentence_too_long_for_the_chunk() -> None:
    doc = document(("heading", "# Título", 1), ("paragraph", "palabra " * 200))
    first = slices(doc, make_chunker("recursive", size=16).split(doc))[0]
    assert first.startswith("# Título\n\npalabra")


@pytest.mark.parametrize("kind", ["code", "table", "list"])
def test_what_fits_stays_whole(kind: str) -> None:
    rng = random.Random(5)
    whole = "\n".join(f"- {prose(rng, 1)}" for _ in range(5))
    assert 60 < tokenizer().count(whole) <= 128
    blocks = [("paragraph", prose(rng, 3)), (kind, whole), ("paragraph", prose(rng, 3))] * 6
    doc = document(*blocks)
    pieces = slices(doc, make_chunker("recursive", size=128).split(doc))
    assert sum(piece.count(whole) for piece in pieces) == 6


def test_code_that_does_not_fit_is_cut_at_lines() -> None:
    code = "\n".join(f"    value_{i} = compute(value_{i - 1}, {i})" for i in range(80))
    doc = document(("code", code))
    pieces = slices(doc, make_chunker("recursive", size=100).split(doc))
    lines = [line.strip() for line in code.split("\n")]
    assert [line.strip() for piece in pieces for line in piece.split("\n")] == lines


def test_many_tiny_sections_share_chunks() -> None:
    blocks = []
    for i in range(60):
        blocks += [("heading", f"## Opción {i}", 2), ("paragraph", f"Hace la cosa número {i}.")]
    doc = document(*blocks)
    pieces = slices(doc, make_chunker("recursive", size=128).split(doc))
    counts = [tokenizer().count(piece) for piece in pieces]
    assert sum(counts) / len(counts) > 50
    assert all(piece.startswith("## ") for piece in pieces)


def test_two_large_sections_are_not_mixed() -> None:
    rng = random.Random(8)
    doc = document(
        ("heading", "# Uno", 1), ("paragraph", prose(rng, 9)),
        ("heading", "# Dos", 1), ("paragraph", prose(rng, 9)),
    )  # fmt: skip
    border = next(e.start for e in doc.elements if e.heading == ("Dos",))
    spans = make_chunker("recursive", size=100, overlap=20).split(doc)
    assert not any(span.start < border < span.end for span in spans)


def test_overlap_is_whole_sentences_from_the_chunk_before() -> None:
    rng = random.Random(2)
    doc = document(*(("paragraph", prose(rng, 6)) for _ in range(12)))
    spans = make_chunker("recursive", size=120, overlap=40).split(doc)
    check(doc, spans, 120)
    shared = [doc.text[b.start : a.end] for a, b in pairwise(spans)]
    assert sum(bool(text) for text in shared) > len(shared) / 2
    for text in shared:
        assert tokenizer().count(text) <= 40
        assert not text or (text[0].isupper() and text.endswith("."))


def test_the_size_is_filled_and_tiny_chunks_are_rare() -> None:
    rng = random.Random(4)
    doc = document(*(("paragraph", prose(rng, rng.randint(1, 12))) for _ in range(150)))
    counts = [
        tokenizer().count(piece)
        for piece in slices(doc, make_chunker("recursive", size=200).split(doc))
    ]
    assert sum(counts) / len(counts) > 110
    assert sum(count < 25 for count in counts) <= len(counts) * 0.02
