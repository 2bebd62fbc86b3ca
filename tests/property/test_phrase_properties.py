"""The index never hides a chunk that holds a phrase, and operators never break a question."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from index.lexical.build import build_bm25
from index.lexical.phrases import Phrase, plain_words
from index.lexical.reader import Bm25Index
from index.lexical.tokens import pieces
from kb.settings import Bm25Settings
from query.operators import parse

SIGNS = "aAeñnéÉáßos .,-_'/+#\"()?157Rk日本ไทย\u093fह½\u0301\u0303"
WORDS = [
    "la",
    "bomba",
    "Bomba's",
    "parar",
    "multi-agent",
    "get_user_name",
    "getUserName",
    "C++",
    "U.S.A.",
    "1.000",
    "v1.2",
    "l'home",
    "日本語",
]
TEXT = (
    st.text(alphabet=SIGNS, max_size=30)
    | st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
    | st.text(max_size=20)
)
# Letters that folding or decomposition changes, signs and hyphens outside ASCII.
ODD = (
    "ao\u00d8\u0142\ufb01\u00df\u210b\uff21\uff0b+#\uff0d\u2010-\u0130\u212a\u00ad\u65e5"
    "\u00f1\u0144 1\u00bd,."
)
LANGUAGE = st.sampled_from(["", "es", "en", "ca"])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(TEXT, LANGUAGE), min_size=1, max_size=5), st.data())
def test_candidates_hold_every_chunk_with_the_phrase(
    documents: list[tuple[str, str]], data: st.DataObject
) -> None:
    source, _ = data.draw(st.sampled_from(documents))
    found = pieces(source)
    start = data.draw(st.integers(0, len(found)))
    end = data.draw(st.integers(start, len(found)))
    asked = " ".join(found[start:end])
    with tempfile.TemporaryDirectory() as folder:
        build_bm25(Path(folder), documents, Bm25Settings())
        index = Bm25Index.open(Path(folder))
        phrase = index.phrase(asked)
        holding = {row for row, (text, _) in enumerate(documents) if phrase.is_in([text])}
        for spellings in phrase.words:
            rows = index.rows_with(spellings)
            assert rows is None or holding <= set(rows.tolist())


@settings(max_examples=500, deadline=None)
@given(TEXT | st.text(alphabet=ODD), st.data())
def test_the_quick_look_never_hides_a_phrase(text: str, data: st.DataObject) -> None:
    found = plain_words(text)
    start = data.draw(st.integers(0, len(found)))
    end = data.draw(st.integers(start, len(found)))
    words = tuple((word,) for word in found[start:end])
    if words:
        assert Phrase(words, False).is_in([text])


@given(st.text() | st.text(alphabet="ab -\"'5ñ¿?¡()\n"))
def test_any_question_can_be_read(question: str) -> None:
    found = parse(question)
    if not found.phrases and not found.excluded:
        assert found.text == question
    for phrase in (*found.phrases, *found.excluded):
        assert phrase in question
        assert plain_words(phrase)
    assert question.count('"') >= 2 * len(found.phrases)
    assert question.count("-") >= len(found.excluded)


@given(
    st.lists(st.sampled_from(["multi-agent", "--flag", "-", "- item", "C++", "-v", "don't", '5"']))
)
def test_what_only_looks_like_an_operator_stays(parts: list[str]) -> None:
    question = " x ".join(parts)
    assert parse(question).text == question
