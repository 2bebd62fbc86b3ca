import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.lexical.build import build_bm25
from index.lexical.folding import fold
from index.lexical.reader import Bm25Index
from kb.settings import Bm25Settings

SIGNS = "aeñnÑáé\u0303\u0301 .-_'/+#\"()¿?5Rk日本ไทยह\u093f🙂\ud800\x00ß²½\u00ad"
TEXT = st.text() | st.text(alphabet=SIGNS) | st.text(alphabet=st.characters(codec=None))
LANGUAGE = st.sampled_from(["", "es", "en", "ja", "ca", "zz"])
DOCUMENT = st.tuples(TEXT, LANGUAGE)


def build(documents: list[tuple[str, str]], folder: Path) -> Bm25Index:
    build_bm25(folder, documents, Bm25Settings(), block=7)
    return Bm25Index.open(folder)


@settings(max_examples=150, deadline=None)
@given(st.lists(DOCUMENT, max_size=6), TEXT, st.integers(1, 8))
def test_any_text_indexes_and_queries(documents: list[tuple[str, str]], query: str, k: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        index = build(documents, Path(folder))
        rows, scores = index.search(query, k)
        every, _ = index.search(query, len(documents) + 1)
        assert rows.tolist() == every.tolist()[:k]
        assert len(set(rows.tolist())) == len(rows)
        assert (scores > 0).all()
        assert (np.diff(scores) <= 0).all()
        for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
            parts = index.explain(query, row)
            assert sum(p.contribution for p in parts) == pytest.approx(score)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(TEXT, LANGUAGE), max_size=5),
    st.text(alphabet="bcdfghjklmpqrstvwxz", min_size=8, max_size=12),
    st.sampled_from(["{}", "¿{}?", "({}),", "_{}_", "{}'s", "“{}”", "get-{}", "x/{}.py"]),
    LANGUAGE,
)
def test_a_rare_word_finds_its_chunk(
    documents: list[tuple[str, str]], word: str, frame: str, language: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = "antes " + frame.format(word) + " después"
        index = build([*documents, (text, language)], Path(folder))
        for query in (word, word.upper(), frame.format(word)):
            assert len(documents) in index.search(query, 10)[0].tolist()


@given(TEXT)
def test_folding_is_stable(word: str) -> None:
    assert fold(fold(word)) == fold(word)
