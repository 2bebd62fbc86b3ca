from collections.abc import Sequence

import numpy as np
import pytest

from ingest.chunk.semantic import SemanticChunker
from ingest.chunk.turns import distances
from kb.errors import UsageError
from kb.models.embedder import Floats
from kb.settings import ChunkSettings
from tests.chunking import check, make_chunker, plain, slices, tokenizer

CAT, SHIP, BREAD = (
    "El gato duerme la siesta. ",
    "Un barco cruza el mar. ",
    "Pan con harina blanca. ",
)


def test_distance_of_windows() -> None:
    """Rows x, x, y: before y the window sums are 2x and y, so distance 1; between the x's
    (window 2) x and x+y: cosine 1/sqrt 2."""
    x, y = [1.0, 0.0], [0.0, 1.0]
    rows = np.asarray([x, x, y], np.float32)
    assert distances(rows, 2) == pytest.approx([1 - 2**-0.5, 1.0], abs=1e-6)
    assert distances(rows, 1) == pytest.approx([0.0, 1.0])
    assert distances(rows[:1], 3).shape == (0,)


def test_it_cuts_where_the_topic_turns() -> None:
    doc = plain(CAT * 8 + SHIP * 8 + BREAD * 8)
    pieces = slices(doc, make_chunker("semantic", size=200, min_size=10).split(doc))
    assert pieces == [(CAT * 8).strip(), (SHIP * 8).strip(), (BREAD * 8).strip()]


def test_absolute_threshold_is_a_cosine() -> None:
    doc = plain(CAT * 4 + SHIP * 4)

    def count(threshold: float) -> int:
        chunker = make_chunker(
            "semantic", size=200, min_size=8, threshold_kind="absolute", threshold=threshold
        )
        return len(chunker.split(doc))

    assert count(0.9) == 2
    assert count(-1.0) == 1


def test_min_size_holds_and_size_holds() -> None:
    doc = plain((CAT + SHIP + BREAD) * 40)
    spans = make_chunker("semantic", size=90, min_size=30, window=1, threshold=0.0).split(doc)
    check(doc, spans, 90)
    counts = [tokenizer().count(piece) for piece in slices(doc, spans)]
    assert min(counts) >= 30
    assert max(counts) <= 90


def test_equal_sentences_have_no_turn() -> None:
    doc = plain(CAT * 10)
    assert len(make_chunker("semantic", size=200, threshold=0.0).split(doc)) == 1


def test_sentences_given_to_the_embedder_are_at_most_size() -> None:
    seen: list[str] = []

    def embed(texts: Sequence[str]) -> Floats:
        seen.extend(texts)
        return np.ones((len(texts), 1), np.float32)

    doc = plain("palabra " * 500 + ". " + CAT * 3)
    SemanticChunker(ChunkSettings(size=50), tokenizer(), embed).split(doc)
    assert len(seen) == 4
    assert max(tokenizer().count(text) for text in seen) <= 50


def test_without_an_embedder_it_says_so() -> None:
    with pytest.raises(UsageError, match="embedder"):
        SemanticChunker(ChunkSettings(), tokenizer())
