"""Filters by path, and explanations that add up, over a small generation."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from index.reader import GenerationReader
from kb.errors import Unavailable, UsageError
from kb.models.llm.llm import Llm
from kb.registry import names
from kb.settings import QuerySettings
from query.filter import Filter, rows
from query.pipeline import Searcher
from tests.fake_embedder import FakeEmbedder, synced
from tests.llm_judge import judging
from tests.rerankers import rerank_settings
from tests.running import write

FILES = {
    "docs/a.md": "# Bomba\n\nLa bomba gira. La bomba para.",
    "docs/b.txt": "The pump turns.",
    "docs/sub/c.md": "bomba y pump, pump, pump",
    "docs/sub/old/d.md": "El pozo está seco.",
}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GenerationReader:
    location, _ = synced(write(tmp_path_factory.mktemp("kb"), FILES), FakeEmbedder())
    return GenerationReader.open(location)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llm]:
    with pytest.MonkeyPatch.context() as patch, judging(tmp_path_factory.mktemp("llm")) as (_, llm):
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield llm


def searcher(reader: GenerationReader, **settings: object) -> Searcher:
    return Searcher(reader, QuerySettings(**settings), FakeEmbedder)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("globs", "left"),
    [
        (["*.md"], "a c d"),
        (["docs/*.md"], "a"),
        (["docs/**/*.md"], "a c d"),
        (["sub/"], "c d"),
        (["docs/sub/*.md", "b.*"], "b c"),
        (["!*.md"], "b"),
        (["*.md", "!old/"], "a c"),
        (["!old/", "*.md"], "a c"),
        (["*.pdf"], ""),
        (["# comment"], ""),
    ],
)
def test_globs(reader: GenerationReader, globs: list[str], left: str) -> None:
    mask = rows(reader, Filter(paths=tuple(globs)))
    every = range(len(reader)) if mask is None else np.flatnonzero(mask)
    kept = {Path(reader.chunks[int(row)].path).stem for row in every}
    assert kept == set(left.split())


def test_no_globs_is_no_filter(reader: GenerationReader) -> None:
    assert rows(reader, Filter()) is None


@pytest.mark.parametrize("glob", ["!", "! ", "a***[", "***/"])
def test_odd_globs_are_refused_or_match(reader: GenerationReader, glob: str) -> None:
    try:
        rows(reader, Filter(paths=(glob,)))
    except UsageError as error:
        assert glob in str(error)
    else:
        assert not glob.startswith("!")


@pytest.mark.parametrize("mode", ["dense", "sparse", "hybrid"])
@pytest.mark.parametrize("fusion", names("fusion"))
@pytest.mark.parametrize("rerank", names("reranker"))
def test_the_parts_add_up(
    reader: GenerationReader, judge: Llm, tmp_path: Path, mode: str, fusion: str, rerank: str
) -> None:
    words = ["bomba", "pump", "la"]
    settings = rerank_settings(rerank, tmp_path, words, mode=mode, fusion=fusion)
    find = Searcher(reader, settings, FakeEmbedder, lambda: judge)
    hits = find.search("la bomba y the pump", None, with_explain=True)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert len({hit.chunk.id for hit in hits}) == len(hits) >= 3
    for hit in hits:
        assert hit.explain is not None
        fused = sum(hit.fusion.values())
        assert hit.explain["fused_score"] == fused
        if hit.rerank is None:
            assert hit.score == pytest.approx(fused, abs=1e-12)
        else:
            told = ("rank_before", "score", "probability")
            parts = [value for name, value in hit.rerank.items() if name not in told]
            assert hit.score == pytest.approx(sum(parts), abs=1e-12)
            assert ("probability" in hit.rerank) == (rerank in ("cross-encoder", "llm"))
        if "sparse" in hit.legs:
            total = sum(part["contribution"] for part in hit.explain["sparse"])
            assert total == pytest.approx(hit.legs["sparse"].score, rel=1e-9)
            for part in hit.explain["sparse"]:
                assert part["tf"] > 0
                assert part["df"] > 0


def test_tombstones_never_answer(reader: GenerationReader) -> None:
    live = np.zeros(len(reader), np.bool_)
    assert searcher(reader).search("bomba", live) == []
    live[0] = True
    (hit,) = searcher(reader).search("bomba pump", live)
    assert hit.chunk == reader.chunks[0]


def test_a_rerank_deeper_than_the_candidates(reader: GenerationReader) -> None:
    assert len(searcher(reader, rerank_depth=10_000, k=10_000).search("bomba")) == len(reader)
    assert searcher(reader, mode="sparse").search("???") == []


@pytest.mark.parametrize("dimension", [64, 128])
def test_another_model_is_refused_also_when_dimensions_agree(
    reader: GenerationReader, dimension: int
) -> None:
    class Other(FakeEmbedder):
        name = "fake/other"
        fingerprint = "another"

    Other.dimension = dimension
    find = Searcher(reader, QuerySettings(mode="dense", rerank="none"), Other)
    with pytest.raises(Unavailable, match=f"64-d .*fake/words.*fake/other, {dimension}-d"):
        find.search("bomba")


@pytest.mark.parametrize("question", ["", "  ", "\n\t"])
def test_an_empty_question_is_refused(reader: GenerationReader, question: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        searcher(reader).search(question)
