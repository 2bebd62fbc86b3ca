"""What `query.rerank.base.Reranker` promises, for every reranker in the registry."""

from collections.abc import Iterator

import numpy as np
import pytest

from index.reader import GenerationReader
from kb.models.llm.llm import Llm
from kb.registry import load, names
from query.question import Question
from query.rerank.base import Reranker
from tests.fake_embedder import FakeEmbedder, synced
from tests.llm_judge import judging
from tests.rerankers import rerank_settings
from tests.running import write

WORDS = ["la", "bomba", "gira", "agua", "pozo", "solar", "the", "pump", "turns", "water"]
FILES = {
    f"docs/{i}.md": " ".join(WORDS[j] for j in (i % 10, i * 3 % 10, i * 7 % 10)) + f". Nota {i}."
    for i in range(12)
}
QUESTION = "la bomba del pozo"
_judge: list[Llm] = []


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GenerationReader:
    location, _ = synced(write(tmp_path_factory.mktemp("kb"), FILES), FakeEmbedder())
    return GenerationReader.open(location)


@pytest.fixture(scope="module", params=names("reranker"))
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def reranker(name: str, tmp_path_factory: pytest.TempPathFactory) -> Reranker:
    settings = rerank_settings(name, tmp_path_factory.mktemp("model"), WORDS)
    part: Reranker = load("reranker", name)(settings)
    return part


@pytest.fixture(scope="module", autouse=True)
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The LLM of the reranker that asks one."""
    with pytest.MonkeyPatch.context() as patch, judging(tmp_path_factory.mktemp("llm")) as (_, llm):
        patch.setenv("NO_PROXY", "127.0.0.1")
        _judge.append(llm)
        yield
        _judge.clear()


def scores(reranker: Reranker, reader: GenerationReader, rows: list[int]) -> list[float]:
    question = Question(
        QUESTION,
        FakeEmbedder,
        with_tokens=reranker.needs_tokens,
        llm=lambda: _judge[0],
        max_calls=100,
    )
    judged = reranker.score(question, np.asarray(rows, np.int64), reader)
    if judged.coverage is not None:
        parts = len(judged.coverage.weights)
        assert judged.coverage.matches.shape == (parts, len(rows))
        assert (judged.coverage.weights >= 0).all()
    found = judged.scores
    assert (found.dtype, found.shape) == (np.float64, (len(rows),))
    assert np.isfinite(found).all()
    if reranker.gives_probability:
        assert ((found >= 0) & (found <= 1)).all()
    return found.tolist()


def test_empty_in_empty_out(reranker: Reranker, reader: GenerationReader) -> None:
    assert scores(reranker, reader, []) == []


def test_the_same_again(reranker: Reranker, reader: GenerationReader) -> None:
    rows = list(range(len(reader)))
    assert scores(reranker, reader, rows) == scores(reranker, reader, rows)


def test_a_score_depends_on_no_neighbour(
    name: str, reranker: Reranker, reader: GenerationReader
) -> None:
    if name == "none":  # which keeps the order it is given, whatever stands in it
        assert scores(reranker, reader, [3, 1, 2]) == [0, -1, -2]
        return
    rows = list(range(len(reader)))
    together = scores(reranker, reader, rows)
    assert len(set(together)) > 1
    near = pytest.approx(together, abs=1e-6)  # a matrix product rounds by its size
    assert scores(reranker, reader, rows[::-1])[::-1] == near
    assert [scores(reranker, reader, [row])[0] for row in rows] == near
