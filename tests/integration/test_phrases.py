"""Phrases, exclusions and typed sub-queries through the whole question side."""

from pathlib import Path

import numpy as np
import pytest

from index.reader import GenerationReader
from kb.settings import QuerySettings
from query.asked import ask
from query.phrases import PhraseFinder, notes
from query.pipeline import Searcher
from tests.fake_embedder import FakeEmbedder, synced
from tests.running import write

FILES = {
    "docs/cat.md": "El gato negro duerme en la cocina.",
    "docs/reverse.md": "Es negro el gato, y duerme en la cocina.",
    "docs/nfd.md": "La revisio\u0301n anual del man\u0303ana.",
    "docs/firma.md": "Firma de Lucía Núñez, tesorera.",
    "docs/code.md": "Written in C++ with multi-agent --flag support.",
    "docs/c.md": "Written in C with one agent.",
    "docs/stop.md": "To be or not to be, that is it.",
    "docs/ja.md": "日本語の文書です。",
    "docs/year.md": "El ano pasado.",
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GenerationReader:
    location, _ = synced(write(tmp_path_factory.mktemp("kb"), FILES), FakeEmbedder())
    return GenerationReader.open(location)


def found(reader: GenerationReader, question: str, **settings: object) -> list[str]:
    searcher = Searcher(reader, QuerySettings(**settings), FakeEmbedder)  # type: ignore[arg-type]
    return [Path(hit.chunk.path).stem for hit in searcher.search(question)]


@pytest.mark.parametrize("mode", ["hybrid", "dense", "sparse"])
@pytest.mark.parametrize(
    ("question", "files"),
    [
        ('"gato negro"', ["cat"]),
        ('"GATO NEGRO" cocina', ["cat"]),
        ('"negro el gato"', ["reverse"]),
        ('"negro gato"', []),
        ('"revision anual"', ["nfd"]),
        ('"revisi\u00f3n anual" "del ma\u00f1ana"', ["nfd"]),
        ('"lucia nunez"', ["firma"]),
        ('"in c"', ["c"]),
        ('"multi agent"', ["code"]),
        ('"be or not to"', ["stop"]),
        ('"日本語の文書"', ["ja"]),
        ('"本日語"', []),
        ('"año pasado"', []),
    ],
)
def test_a_phrase_filters_every_leg(
    reader: GenerationReader, mode: str, question: str, files: list[str]
) -> None:
    assert found(reader, question, mode=mode, rerank="none") == files


@pytest.mark.parametrize("mode", ["hybrid", "dense", "sparse"])
def test_what_is_excluded_is_in_no_leg(reader: GenerationReader, mode: str) -> None:
    every = found(reader, "gato cocina written", mode=mode)
    assert {"cat", "reverse"} <= set(every)
    assert set(every) - set(found(reader, "gato cocina written -negro", mode=mode)) == {
        "cat", "reverse",
    }  # fmt: skip
    left = found(reader, 'gato cocina written -"gato negro"', mode=mode)
    assert set(every) - set(left) == {"cat"}
    assert "code" not in found(reader, "written support -C++", mode=mode)
    assert "c" in found(reader, "written support -C++", mode=mode)


def test_a_phrase_that_nothing_holds_binds_only_where_there_is_nothing_else(
    reader: GenerationReader,
) -> None:
    searcher = Searcher(reader, QuerySettings(), FakeEmbedder)
    for question, told in (('"negro gato" cocina', 1), ('"gato negro" cocina', 0)):
        asked = ask(question)
        hits = searcher.search(asked)
        assert hits
        assert len(notes(asked, hits, reader.bm25)) == told
    assert searcher.search('"negro gato"') == []


def test_in_a_sentence_a_phrase_binds_the_word_leg_only(reader: GenerationReader) -> None:
    searcher = Searcher(reader, QuerySettings(), FakeEmbedder)
    hits = searcher.search('¿Dónde duerme el que llaman "gato negro"?')
    words = {Path(h.chunk.path).stem for h in hits if "sparse" in h.legs}
    assert words == {"cat"}
    assert len(hits) > 1


def test_operators_can_be_plain_text(reader: GenerationReader) -> None:
    assert len(found(reader, '"negro gato"', operators=False)) > 1


def test_operators_and_filters_meet(reader: GenerationReader) -> None:
    live = np.array([not c.path.endswith("cat.md") for c in reader.chunks])
    searcher = Searcher(reader, QuerySettings(), FakeEmbedder)
    assert searcher.search('"gato negro"', live) == []


@pytest.mark.parametrize("question", ['"be or not to"', 'gato -negro written "written in"'])
def test_explain_shows_operators_and_adds_up(reader: GenerationReader, question: str) -> None:
    searcher = Searcher(reader, QuerySettings(mode="sparse", rerank="none"), FakeEmbedder)
    asked = ask(question)
    hits = searcher.search(asked, with_explain=True)
    assert hits
    for hit in hits:
        assert hit.explain is not None
        assert hit.explain["operators"]["phrases"] == list(asked.phrases)
        assert hit.explain["operators"]["excluded"] == list(asked.excluded)
        total = sum(part["contribution"] for part in hit.explain["sparse"])
        assert total == pytest.approx(hit.score, rel=1e-6)


def test_more_candidates_than_depth(tmp_path: Path) -> None:
    files = {f"docs/{i:03}.txt": "negro gato negro gato gato" for i in range(60)}
    write(tmp_path, files | {"docs/zzz.txt": "al final aparece el gato negro de nuevo"})
    location, _ = synced(tmp_path, FakeEmbedder())
    reader = GenerationReader.open(location)
    assert len(PhraseFinder(reader).rows("gato negro")) == 61
    assert found(reader, '"el gato negro"', depth=3) == ["zzz"]
    assert found(reader, "gato -aparece", depth=3, k=2, mode="sparse") != []


def test_sub_queries_feed_their_own_leg(reader: GenerationReader) -> None:
    searcher = Searcher(reader, QuerySettings(rerank="none", k=20), FakeEmbedder)
    asked = ask("", lex="tesorera", vec="gato negro")
    hits = searcher.search(asked, with_explain=True)
    sparse = {Path(h.chunk.path).stem for h in hits if "sparse" in h.legs}
    assert sparse == {"firma"}
    best = min((h for h in hits if "dense" in h.legs), key=lambda h: h.legs["dense"].rank)
    assert Path(best.chunk.path).stem in {"cat", "reverse"}
    assert hits[0].explain is not None
    assert hits[0].explain["read"] == {
        "sparse": "tesorera", "dense": "gato negro", "rerank": "gato negro",
    }  # fmt: skip
