import math
from collections.abc import Iterable
from pathlib import Path

import bm25s
import numpy as np
import pytest

from index.lexical.build import build_bm25
from index.lexical.postings import PostingsWriter
from index.lexical.reader import Bm25Index
from index.lexical.weighting import LEAST_IDF, idf, saturation
from kb.errors import UsageError
from kb.settings import Bm25Settings


def built(folder: Path, texts: Iterable[tuple[str, str]], **keys: object) -> Bm25Index:
    build_bm25(folder, texts, Bm25Settings(**keys))  # type: ignore[arg-type]
    return Bm25Index.open(folder)


@pytest.mark.parametrize(
    ("df", "tf", "length", "score"),
    [
        # df 3: idf = ln(7.5 / 3.5) = 0.76214; tf 5 in 200: 5 * 2.5 / (5 + 1.5 * 0.85) = 1.99203
        (3, 5, 200, 1.5182),
        (3, 2, 500, 0.8239),
        (3, 8, 150, 1.6843),
        (2, 3, 200, 2.1470),
        (2, 1, 250, 1.2238),
    ],
)
def test_textbook_figures(df: int, tf: int, length: int, score: float) -> None:
    settings = Bm25Settings(k1=1.5, b=0.75, idf="robertson")
    part = saturation(settings, np.array([float(tf)]), np.array([length], np.int32), 250.0)
    assert idf("robertson", 10, df) * part[0] == pytest.approx(score, abs=5e-5)


def test_idf_forms() -> None:
    assert idf("lucene", 10, 3) == pytest.approx(math.log(1 + 7.5 / 3.5))
    assert idf("lucene", 1, 1) > 0
    assert idf("robertson", 10, 8) == LEAST_IDF  # ln(2.5 / 8.5) is below zero


@pytest.mark.parametrize(
    ("form", "method", "idf_method"),
    [("lucene", "lucene", "lucene"), ("robertson", "atire", "robertson")],
)
def test_scores_equal_bm25s_on_the_same_tokens(
    tmp_path: Path, form: str, method: str, idf_method: str
) -> None:
    rng = np.random.default_rng(7)
    vocabulary = [f"w{chr(97 + i)}x" for i in range(26)]
    weights = 1 / np.arange(1, 27)
    corpus = [
        [str(t) for t in rng.choice(vocabulary, rng.integers(1, 60), p=weights / weights.sum())]
        for _ in range(80)
    ]
    settings = {"k1": 1.4, "b": 0.6, "idf": form, "stem": False, "stop_words": False}
    ours = built(tmp_path, ((" ".join(tokens), "") for tokens in corpus), **settings)
    theirs = bm25s.BM25(method=method, idf_method=idf_method, k1=1.4, b=0.6)
    theirs.index(corpus, show_progress=False)
    for query in (vocabulary[:3], vocabulary[5:20], [vocabulary[25]], [vocabulary[1]] * 2):
        np.testing.assert_allclose(ours.scores(query), theirs.get_scores(query), atol=1e-4)


DOCUMENTS = [
    ("El camión rojo de Núñez tiene cinco años.", "es"),
    ("The truck driver parks in Denver; don't honk at multi-agent C++ code.", "en"),
    ('Consultas raras: " ¿qué? a AND b NEAR(x) --flag', "es"),
    ("Call getUserName before HTTP-403 is raised by kb/models/embedder.py", "en"),
    ("Una página en blanco y otra camioneta, según el informe R123-78", "es"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Bm25Index:
    return built(tmp_path_factory.mktemp("lexical"), DOCUMENTS)


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("camion", 0),
        ("camión", 0),
        ("camio\u0301n", 0),
        ("nunez", 0),
        ("Núñez", 0),
        ("Nu\u0301n\u0303ez", 0),
        ("año", 0),
        ("ano", None),
        ("don't", 1),
        ("multi-agent", 1),
        ("C++", 1),
        ("¿qué?", 2),
        ("a AND", 2),
        ("NEAR(", 2),
        ("--flag", 2),
        ('"', None),
        ("user name", 3),
        ("get_user_name", 3),
        ("embedder.py", 3),
        ("HTTP-403", 3),
        ("r123-78", 4),
        ("de la que el", None),
        ("???", None),
        ("¿dónde aparcan los trucks?", 1),
    ],
)
def test_best_row(index: Bm25Index, query: str, row: int | None) -> None:
    rows, scores = index.search(query, 20)
    assert (rows[0] if len(rows) else None) == row
    assert (scores > 0).all()
    assert (np.diff(scores) <= 0).all()


def test_enye_is_noted_in_the_explanation(index: Bm25Index) -> None:
    (part,) = index.explain("nunez", 0)
    assert "nuñez" in part.note
    assert (part.word, part.tf, part.df) == ("nunez", 1, 1)


def test_enye_folds_when_asked(tmp_path: Path) -> None:
    assert built(tmp_path, DOCUMENTS, fold_enye=True).search("ano", 3)[0].tolist() == [0]


def test_explanation_sums_to_the_score(index: Bm25Index) -> None:
    query = "¿Qué camión o truck driver usa C++ y getUserName en Denver, camión?"
    rows, scores = index.search(query, 10)
    assert len(rows) > 2
    for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
        parts = index.explain(query, row)
        assert sum(p.contribution for p in parts) == pytest.approx(score, abs=1e-12)
        for p in parts:
            assert p.idf == pytest.approx(math.log(1 + (5 - p.df + 0.5) / (p.df + 0.5)))
    assert next(p for p in index.explain(query, 0) if p.word == "camion").weight == 2.0
    assert index.explain(query, 999) == []


def test_stems_of_two_languages_are_one_word(tmp_path: Path) -> None:
    index = built(tmp_path, [("casas", "es"), ("casas", "en"), ("casas casa", "en"), ("x", "es")])
    parts = [index.explain("casas", row) for row in range(3)]
    assert [(p[0].tf, p[0].df) for p in parts] == [(1, 3), (1, 3), (2, 3)]


def test_ties_go_to_the_lower_row_and_live_filters(tmp_path: Path) -> None:
    index = built(tmp_path, [("nada", "es"), *[("igual texto", "es")] * 6])
    assert index.search("igual", 3)[0].tolist() == [1, 2, 3]
    live = np.array([True, False, True, False, True, True, True])
    assert index.search("igual", 3, live)[0].tolist() == [2, 4, 5]
    assert index.search("igual", 20, live)[0].tolist() == [2, 4, 5, 6]
    assert index.search("igual", 0)[0].tolist() == []


@pytest.mark.parametrize("form", ["lucene", "robertson"])
def test_one_document_and_k_20(tmp_path: Path, form: str) -> None:
    rows, scores = built(tmp_path, [("hola mundo", "es")], idf=form).search("mundo", 20)
    assert rows.tolist() == [0]
    assert scores[0] > 0


@pytest.mark.parametrize("texts", [[], [("", "")], [("  \n", "es"), ("???", "en")]])
def test_empty_indexes_have_no_rows(tmp_path: Path, texts: list[tuple[str, str]]) -> None:
    index = built(tmp_path, texts)
    assert len(index) == len(texts)
    assert index.search("hola", 5)[0].tolist() == []
    assert index.scores(["hola"]).shape == (len(texts),)
    assert index.explain("hola", 0) == []


def test_same_bytes_whatever_the_block(tmp_path: Path) -> None:
    documents = DOCUMENTS * 7
    build_bm25(tmp_path / "a", documents, Bm25Settings())
    build_bm25(tmp_path / "b", iter(documents), Bm25Settings(), block=5)
    files = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert files == sorted(p.name for p in (tmp_path / "b").iterdir())
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_scratch_is_dropped_when_the_documents_fail(tmp_path: Path) -> None:
    def failing() -> Iterable[tuple[str, str]]:
        yield "uno", "es"
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        build_bm25(tmp_path, failing(), Bm25Settings())
    assert list(tmp_path.iterdir()) == []


def test_term_frequency_is_capped(tmp_path: Path) -> None:
    writer = PostingsWriter(tmp_path)
    writer.add(["x"] * 70_000)
    assert writer.finish() == (1, 70_000)
    writer.close()
    assert np.load(tmp_path / "tf.npy").tolist() == [65_535]


def test_k1_and_b_may_change_without_a_rebuild_but_stemming_may_not(tmp_path: Path) -> None:
    first = built(tmp_path, DOCUMENTS)
    other = Bm25Index.open(tmp_path, Bm25Settings(k1=0.5, b=0.1))
    assert other.search("camión", 5)[1] != pytest.approx(first.search("camión", 5)[1])
    with pytest.raises(UsageError, match=r"bm25\.stem = True, the settings say False"):
        Bm25Index.open(tmp_path, Bm25Settings(stem=False))


def test_files_of_another_version_are_refused(tmp_path: Path) -> None:
    built(tmp_path, DOCUMENTS)
    meta = tmp_path / "lexical.json"
    meta.write_text(meta.read_text().replace('"version": 1', '"version": 99'))
    with pytest.raises(UsageError, match=r"version 99\."):
        Bm25Index.open(tmp_path)
