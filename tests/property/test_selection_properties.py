"""Whatever is switched on between ranking and hits: parts add up, k come back, nothing is told twice."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.reader import GenerationReader
from kb.records import Hit
from kb.registry import names
from kb.settings import QuerySettings
from query.pipeline import Searcher
from query.rerank.base import Judged
from tests.fake_embedder import FakeEmbedder, synced
from tests.running import write

WORDS = ("pump", "valve", "bomba", "pozo", "water", "noria", "motor")
FILES = {
    # Nine copies of each of six texts, and four that stand alone; a third have a tag.
    **{
        f"docs/copy-{text}-{i}.md": (
            f"---\ntags: [{'final' if i % 3 == 0 else 'draft'}]\n---\n"
            f"The {WORDS[text]} and the {WORDS[(text + 1) % 7]} of the mill, told {WORDS[text]} again"
        )
        for text in range(6)
        for i in range(9)
    },
    **{f"docs/alone-{i}.md": f"One pump with the number {i} turns" for i in range(4)},
}
DISTINCT = 10


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> GenerationReader:
    location, _ = synced(write(tmp_path_factory.mktemp("kb"), FILES), FakeEmbedder())
    return GenerationReader.open(location)


def find(reader: GenerationReader, question: str, **settings: object) -> list[Hit]:
    chosen = QuerySettings(**settings)  # type: ignore[arg-type]
    return Searcher(reader, chosen, FakeEmbedder).search(question, None, with_explain=True)


chosen_settings = st.fixed_dictionaries(
    {
        "k": st.integers(1, 80),
        "mode": st.sampled_from(["dense", "sparse", "hybrid"]),
        "depth": st.sampled_from([1, 3, 20, 100]),
        "fusion": st.sampled_from(names("fusion")),
        "rerank": st.sampled_from(["none", "maxsim"]),
        "rerank_depth": st.sampled_from([1, 5, 50]),
        "collapse": st.booleans(),
        "diversity": st.sampled_from([0.0, 0.2, 0.7, 1.0]),
        "prune": st.booleans(),
        "prune_below": st.sampled_from([0.0, 0.5, 1.0]),
        "tag_weights": st.sampled_from([{}, {"FINAL": 1.0}, {"final": 0.4, "draft": 0.9}]),
        "tag_share": st.sampled_from([0.0, 0.32, 1.0]),
    }
)
quick = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(chosen=chosen_settings, question=st.sampled_from(["pump water", "the mill", "bomba"]))
def test_parts_add_up_whatever_is_on(
    reader: GenerationReader, chosen: dict[str, object], question: str
) -> None:
    hits = find(reader, question, **chosen)
    assert hits == find(reader, question, **chosen)
    told = [hit.chunk.id for hit in hits] + [d.id for hit in hits for d in hit.duplicates]
    assert len(told) == len(set(told))
    scores = [hit.score for hit in hits]
    assert all(a >= b - 1e-12 for a, b in pairwise(scores))
    for hit in hits:
        score = hit.score
        for step in reversed(hit.steps.values()):
            shares = [value for name, value in step.items() if name.endswith("share")]
            assert score == pytest.approx(sum(shares), abs=1e-9)
            score = step["score_before"]
        parts = hit.rerank or {**hit.fusion}
        added = [v for name, v in parts.items() if name not in ("rank_before", "score")]
        assert score == pytest.approx(sum(added), abs=1e-9)
        assert (hit.explain or {})["fused_score"] == pytest.approx(sum(hit.fusion.values()))
        assert ("boost" in hit.steps) == bool(chosen["tag_weights"])
        assert ("diversity" in hit.steps) == bool(chosen["diversity"])
        assert not hit.duplicates or chosen["collapse"]


@quick
@given(chosen=chosen_settings)
def test_k_come_back_when_k_exist(reader: GenerationReader, chosen: dict[str, object]) -> None:
    """All chunks hold "the" or "with": in the dense leg all of them answer."""
    chosen = {**chosen, "mode": "dense"}
    exist = DISTINCT if chosen["collapse"] else len(reader)
    k = int(str(chosen["k"]))
    hits = find(reader, "the mill", **chosen)
    assert len(hits) == (min(k, exist) if not chosen["prune"] else len(hits))
    if chosen["prune"]:
        assert min(3, k, exist) <= len(hits) <= min(5, k, exist)


def test_a_pool_full_of_copies_is_gone_through_deeper(reader: GenerationReader) -> None:
    for mode in ("dense", "sparse", "hybrid"):
        hits = find(reader, "pump", mode=mode, depth=2, k=2, rerank="none")
        texts = [hit.chunk.text for hit in hits]
        assert len(set(texts)) == len(texts) == 2


def test_only_rows_that_may_answer_are_counted(reader: GenerationReader) -> None:
    live = np.array(["-1." not in chunk.path for chunk in reader.chunks])
    searcher = Searcher(reader, QuerySettings(k=20), FakeEmbedder)
    hits = searcher.search("the mill", live)
    told = [d.path for hit in hits for d in hit.duplicates] + [hit.chunk.path for hit in hits]
    assert told
    assert not [path for path in told if "-1." in path]
    most = max(len(hit.duplicates) for hit in hits)
    assert most == 7  # of nine copies, one is the hit and one is closed


def test_what_is_not_wanted_is_no_copy(reader: GenerationReader) -> None:
    searcher = Searcher(reader, QuerySettings(k=20), FakeEmbedder)
    hits = searcher.search("the mill", None, False, lambda chunk: "-1." not in chunk.path)
    told = [d.path for hit in hits for d in hit.duplicates] + [hit.chunk.path for hit in hits]
    assert Path("docs/copy-0-1.md").as_posix() not in told
    assert len(hits) == 9  # and of the four alone one is not wanted


class Sure:
    """A reranker that is sure of two candidates, and of nothing else."""

    needs_tokens = False
    gives_probability = True
    looks_again = False

    def __init__(self, _settings: QuerySettings) -> None:
        pass

    def score(self, _question: object, rows: object, _reader: object) -> Judged:
        places = np.arange(len(np.asarray(rows)))
        return Judged(np.where(np.isin(places, (10, 20)), 0.9, 0.1))


def test_a_probability_is_held_against_the_threshold_as_it_is(
    reader: GenerationReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    from query import pipeline

    load = pipeline.load
    monkeypatch.setattr(
        pipeline, "load", lambda kind, name: Sure if kind == "reranker" else load(kind, name)
    )
    hits = find(reader, "the mill", rerank="sure", prune=True, collapse=False, k=10)
    values = [(hit.explain or {})["prune"]["value"] for hit in hits]
    assert len(hits) == 3
    assert sorted(values) == [0.1, 0.9, 0.9]
    assert {(hit.explain or {})["prune"]["of"] for hit in hits} == {"probability"}
