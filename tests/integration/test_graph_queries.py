"""Questions to a knowledge base with a graph: what hits lead to, local and global, empty graphs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from index.derived.joined import joined
from index.reader import GenerationReader
from kb.configure import load_settings
from kb.errors import UsageError
from kb.location import Location
from kb.records import Hit
from kb.settings import QuerySettings
from query.filter import Filter, rows
from query.pipeline import Searcher
from tests.fake_embedder import FakeEmbedder, synced
from tests.running import write

FILES = {
    "film.md": "# Night of the Pump\n\nNight of the Pump is a film that Marta Quiroga directed in 1986 "
    "with Luis Sotelo and Rosa Varela.\n",
    "marta.md": "# Marta Quiroga\n\nShe was born in Lugo and studied there before she moved away.\n",
    "luis.md": "# Luis Sotelo\n\nHe acts on the stage of Vigo and in Santiago.\n",
    "prize.md": "# The prize\n\nRosa Varela, Luis Sotelo and Marta Quiroga won it.\n",
    **{
        f"other{i}.md": f"# Valve number {i}\n\nnobody knows where the director of plant {i} was "
        f"born.\n"
        for i in range(20)
    },
}
QUESTION = "Where was the director of the film Night of the Pump born?"
FLAGS: dict[str, Any] = {"graph.enabled": True, "graph.community_size": 4}


def kb(home: Path, files: dict[str, str], **flags: object) -> Location:
    write(home / "docs", files)
    settings = load_settings(flags={**FLAGS, **flags}, environment={})
    location, report = synced(home, FakeEmbedder(), settings)
    assert not report.build.derived.failed
    return location


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Location:
    return kb(tmp_path_factory.mktemp("films"), FILES)


def searcher(location: Location, **query: Any) -> Searcher:
    return Searcher(GenerationReader.open(location), QuerySettings(**query), FakeEmbedder)


def asked(location: Location, question: str = QUESTION, **query: Any) -> list[Hit]:
    return searcher(location, **query).search(question, with_explain=True)


def paths(hits: list[Hit]) -> list[str]:
    return [hit.chunk.path.removeprefix("docs/") for hit in hits]


def test_the_best_hit_leads_to_the_second_half_of_the_answer(films: Location) -> None:
    without = paths(asked(films, links=0.0, k=5))
    found = asked(films, k=5)
    assert without[0] == paths(found)[0] == "film.md"
    assert "marta.md" not in without
    assert paths(found)[1] == "marta.md"
    hit = next(hit for hit in found if hit.chunk.path.endswith("marta.md"))
    assert hit.explain is not None
    assert hit.explain["links"] == {"by": "Marta Quiroga", "from": "docs/film.md"}


@pytest.mark.parametrize("rerank", ["maxsim", "none"])
@pytest.mark.parametrize("mode", ["hybrid", "graph"])
def test_the_parts_of_each_score_add_up(films: Location, mode: str, rerank: str) -> None:
    for hit in asked(films, mode=mode, rerank=rerank, k=30):
        score = hit.score
        for step in reversed(hit.steps.values()):
            parts = {name: part for name, part in step.items() if name != "score_before"}
            assert sum(parts.values()) == pytest.approx(score)
            score = step["score_before"]
        if hit.rerank is None:
            assert sum(hit.fusion.values()) == pytest.approx(score)
        else:
            left_out = ("rank_before", "score")
            parts = {name: part for name, part in hit.rerank.items() if name not in left_out}
            assert sum(parts.values()) == pytest.approx(score)


def test_modes_without_the_graph_do_not_see_it(films: Location, tmp_path: Path) -> None:
    plain = kb(tmp_path, FILES, **{"graph.enabled": False})
    for mode in ("dense", "sparse"):
        with_graph, without = (
            [(hit.chunk, hit.score) for hit in asked(one, mode=mode)] for one in (films, plain)
        )
        assert with_graph == without
    assert paths(asked(films, links=0.0)) == paths(asked(plain))


def test_what_a_filter_hides_is_not_led_to(films: Location) -> None:
    reader = GenerationReader.open(films)
    live = rows(reader, Filter(paths=("!marta.md",)))
    assert live is not None
    for mode in ("hybrid", "graph"):
        hits = searcher(films, mode=mode, k=30).search(QUESTION, live)
        assert "marta.md" not in paths(hits)
        assert hits


def test_an_exclusion_holds_for_what_is_led_to(films: Location) -> None:
    assert "marta.md" not in paths(asked(films, f"{QUESTION} -Lugo", k=30))


def test_local_begins_at_the_entities_of_the_question(films: Location) -> None:
    found = asked(films, "What of Luis Sotelo?", mode="graph", graph="local", k=4)
    assert paths(found)[0] in ("luis.md", "film.md")
    assert {"luis.md", "film.md"} <= set(paths(found))
    assert {hit.chunk.kind for hit in found} == {"text"}


def test_global_brings_reports_beside_passages(films: Location) -> None:
    found = asked(films, mode="graph", graph="global", k=20)
    assert {hit.chunk.kind for hit in found} == {"text", "community"}
    report = next(hit for hit in found if hit.chunk.kind == "community")
    for quote in report.chunk.quotes:
        assert quote.path.startswith("docs/")


@pytest.mark.parametrize(
    ("question", "mode", "says"),
    [
        ("How is Marta Quiroga related to Luis Sotelo?", "graph", "hang together"),
        ("¿Qué relación hay entre Marta Quiroga y Luis Sotelo?", "graph", "hang together"),
        ("How is one thing related to another?", "hybrid", "names no entity"),
        ("What are the main themes of the films?", "graph", "themes"),
        ("Where was she born?", "hybrid", "nothing in it"),
    ],
)
def test_auto_takes_the_way_that_the_question_asks_for(
    films: Location, question: str, mode: str, says: str
) -> None:
    one = searcher(films, mode="auto")
    asking = one.question(question)
    hits = one.search(asking, with_explain=True)
    assert asking.route is not None
    assert (asking.route.mode, says in asking.route.reason) == (mode, True)
    assert hits[0].explain is not None
    assert hits[0].explain["route"] == {"mode": mode, "reason": asking.route.reason}


def test_without_a_graph_the_mode_says_how_to_make_one(tmp_path: Path) -> None:
    plain = kb(tmp_path, {"a.md": "# A\n\nSome text.\n"}, **{"graph.enabled": False})
    with pytest.raises(UsageError, match="tesela graph build"):
        asked(plain, mode="graph")
    assert asked(plain, "some text", mode="auto")


EMPTY = {
    "no names": {"a.md": "it rains and it rains again, and nobody is there to see it.\n"},
    "numbers": {"a.csv": "1,2,3\n4,5,6\n", "b.csv": "7,8\n9,10\n"},
    "one name": {"a.md": "# Zaragoza\n\nit rains there.\n"},
    "blank": {"a.md": "\n"},
}


@pytest.mark.parametrize("case", EMPTY)
def test_a_graph_with_nothing_to_say_says_so(tmp_path: Path, case: str) -> None:
    location = kb(tmp_path, EMPTY[case])
    whole = searcher(location, mode="graph", graph="global")
    question = whole.question("what is all this about, 4, rains")
    hits = whole.search(question)
    assert any("no communities" in note for note in question.notes)
    assert all(hit.chunk.kind == "text" for hit in hits)
    local = searcher(location, mode="graph", graph="local").search("rains in Zaragoza 4")
    assert paths(local) == paths(asked(location, "rains in Zaragoza 4"))


def test_deleting_a_document_takes_its_reports_along(tmp_path: Path) -> None:
    location = kb(tmp_path, FILES)
    (tmp_path / "docs" / "film.md").unlink()
    synced(tmp_path, FakeEmbedder(), load_settings(flags=FLAGS, environment={}))
    reader = joined(GenerationReader.open(location))
    texts = [reader.chunks[row].text for row in range(len(reader))]
    assert not any("directed in 1986" in text for text in texts)
    assert "film.md" not in paths(asked(location, k=30))


def test_reports_stand_behind_rights(tmp_path: Path) -> None:
    files = {**FILES, "film.md": f"---\nacl: [staff]\n---\n{FILES['film.md']}"}
    location = kb(tmp_path, files)
    reader = GenerationReader.open(location)
    live = rows(reader, Filter())
    assert live is not None
    one = searcher(location, mode="graph", graph="global", k=50)
    seen = one.search(QUESTION, live)
    assert not any("1986" in hit.chunk.text for hit in seen)
    everything = one.search(QUESTION, np.ones(len(reader), np.bool_))
    assert any("1986" in hit.chunk.text for hit in everything)
