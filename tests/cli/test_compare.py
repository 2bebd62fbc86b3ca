"""``tesela compare``: variants of any setting, built beside a KB that stays as it is."""

import gc
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.location import at
from kb.lock import writer_lock
from tests.context_llm import Situates
from tests.llm_judge import judge
from tests.llm_server import Server, serving
from tests.running import make_kb, run, snapshot

PUMP = "La bomba hidráulica de presión cuesta 900 euros y lleva garantía de tres años."
FILES = {
    "a.md": f"# Manual\n\n## Bomba\n\n{PUMP}\n\n"
    + "\n\n".join(f"Nota {i}: agua." for i in range(40)),
    "b.md": "# Guide\n\nThe turbine turns. Warranty lasts two years.",
    "c.md": "---\nacl: [hr]\n---\n# Secreto\n\nLa bomba secreta tiene garantía de diez años.",
    "d.md": "# Riego\n\nEl riego por goteo ahorra agua.",
}
CHEAP = ("--set", "query.rerank=none")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("compare"), FILES)


def untouched(home: Path) -> dict[str, tuple[int, bytes]]:
    """All that a comparison has to leave alone: not the caches, nor who held the lock last."""
    there = snapshot(home)
    return {
        name: what for name, what in there.items()
        if not name.startswith(".tesela/cache/") and name != ".tesela/lock" and "-wal" not in name
        and "-shm" not in name
    }  # fmt: skip


def free_readers() -> None:
    """A command's process would have ended."""
    gc.collect()


def test_two_ways_to_ask_need_no_index(home: Path) -> None:
    before = snapshot(home)
    done = run("compare", "--kb", home, "--a", "mode=sparse", "--b", "mode=dense", *CHEAP, "bomba")
    assert done.code == 0, done.err
    assert "a  query.mode=sparse: the current generation" in done.out
    assert "b  query.mode=dense: the current generation" in done.out
    assert "overlap@10" in done.out
    assert snapshot(home) == before


def test_an_index_is_built_beside_and_found_again(home: Path) -> None:
    before = untouched(home)
    line = ("compare", "--kb", home, "--b", "chunk.size=32", "--b", "context=none", *CHEAP, "bomba")
    first = run(*line, "--format", "json")
    assert first.code == 0, first.err
    a, b = first.json["a"], first.json["b"]
    assert (a["generation"], a["built"]) == (1, None)
    assert b["generation"] is None
    assert b["settings"] == {"chunk.size": 32, "context.provider": "none"}
    assert b["chunks"] > a["chunks"]
    assert b["built"]["embedded"] > 0
    again = run(*line, "--format", "json")
    assert again.json["b"]["built"] is None
    assert again.json["hits"] == first.json["hits"]
    assert untouched(home) == before
    assert run("doctor", "--kb", home).code == 0
    assert run("sync", "--kb", home).err.count("unchanged") == 2


def test_what_is_built_is_what_a_kb_of_these_settings_would_be(home: Path, tmp_path: Path) -> None:
    sets = ("--set", "chunk.size=48", "--set", "bm25.stem=false")
    beside = run(
        "compare", "--kb", home, "--b", "chunk.size=48", "--b", "bm25.stem=false", *CHEAP,
        "--format", "json", "bomba garantía",
    )  # fmt: skip
    own = make_kb(tmp_path, FILES, *sets)
    asked = run("query", "--kb", own, *sets, *CHEAP, "--format", "json", "bomba garantía")
    both = [
        [(hit["id"], hit["score"]) for hit in found]
        for found in (beside.json["hits"]["b"], asked.json["hits"])
    ]
    assert both[0] == both[1]
    assert both[0]


def test_gc_removes_what_was_built(home: Path) -> None:
    assert run("compare", "--kb", home, "--b", "chunk.size=40", *CHEAP, "bomba").code == 0
    folder = at(home).folder / "cache" / "compare"
    there = len(list(folder.iterdir()))
    assert there >= 1
    told = run("gc", "--caches", "--dry-run", "--kb", home, "--format", "json")
    assert told.json["compared"] == there
    assert len(list(folder.iterdir())) == there
    free_readers()
    assert "compared variant" in run("gc", "--caches", "--kb", home).out
    assert list(folder.iterdir()) == []
    assert run("compare", "--kb", home, "--b", "chunk.size=40", *CHEAP, "bomba").code == 0


def test_only_a_few_variants_stay(home: Path) -> None:
    for size in range(50, 60):
        assert run("compare", "--kb", home, "--b", f"chunk.size={size}", *CHEAP, "agua").code == 0
        free_readers()
    assert len(list((at(home).folder / "cache" / "compare").iterdir())) == 7


def test_another_writer_is_respected(home: Path) -> None:
    line = ("compare", "--kb", home, "--b", "chunk.size=77", *CHEAP, "agua")
    with writer_lock(at(home).lock):
        assert run(*line).code == 5
        assert run("compare", "--kb", home, "--b", "k=3", *CHEAP, "agua").code == 0
    assert run(*line).code == 0


def test_two_generations(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": "# Uno\n\nLa bomba gira."})
    make_kb(home, {"b.md": "# Dos\n\nOtra bomba."})
    done = run(
        "compare", "--kb", home, "--a", "generation=1", "--b", "generation=current", *CHEAP,
        "--format", "json", "bomba",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert (done.json["a"]["generation"], done.json["b"]["generation"]) == (1, 2)
    moved = {(p["a"], p["b"] is None) for p in done.json["passages"]}
    assert (None, False) in moved
    line = ("--a", "generation=1", "--a", "chunk.size=64", "bomba")
    assert run("compare", "--kb", home, *line).code == 2


def test_an_old_generation_is_asked_with_its_own_model(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": "# Uno\n\nLa bomba gira."})
    assert run("reindex", "--model", "encoder-12", "--kb", home).code == 0
    done = run("compare", "--kb", home, "--a", "generation=1", "--format", "json", "bomba")
    assert done.code == 0, done.err
    assert done.json["a"]["model"] != done.json["b"]["model"]
    assert len(done.json["hits"]["a"]) == len(done.json["hits"]["b"]) == 1


def test_nobody_sees_what_they_may_not_read(home: Path) -> None:
    line = ("compare", "--kb", home, "--b", "chunk.size=32", *CHEAP, "--format", "json", "secreta")
    paths = {
        who: {hit["path"] for side in "ab" for hit in run(*line, *asks).json["hits"][side]}
        for who, asks in (("all", ()), ("hr", ("--principal", "hr")))
    }
    assert "docs/c.md" not in paths["all"]
    assert "docs/c.md" in paths["hr"]


def questions(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_file_with_judgements(home: Path, tmp_path: Path) -> None:
    text = FILES["a.md"]
    start = text.index(PUMP)
    file = questions(
        tmp_path / "q.jsonl",
        {"id": "path", "text": "warranty turbine", "relevant": ["docs/b.md"]},
        {
            "id": "span",
            "text": "bomba hidráulica garantía",
            "relevant": [{"path": "docs/a.md", "span": [start, start + len(PUMP)]}],
        },
        {"id": "grades", "text": "riego goteo", "relevant": {"docs/d.md": 2, "docs/a.md": 0}},
        {"id": "nobody", "text": "agua"},
    )
    line = ("compare", "--kb", home, "--queries", file, "--a", "k=1", "--b", "k=3", *CHEAP)
    done = run(*line, "--format", "json")
    assert done.code == 0, done.err
    shown = done.json
    assert (shown["questions"], shown["judged"], shown["k"]) == (4, 3, 3)
    for measure in ("ndcg", "mrr", "recall", "success"):
        found = shown["measures"][measure]
        assert found["b"] == 1, measure
        assert found["difference"]["mean"] == pytest.approx(found["b"] - found["a"])
    assert run(*line, "--format", "json").out == done.out
    table = run(*line).out
    assert "recall@3" in table
    assert "95% interval" in table
    assert max(map(len, table.splitlines())) <= 80


def test_a_judged_document_that_is_not_there_is_told(home: Path, tmp_path: Path) -> None:
    file = questions(
        tmp_path / "q", {"text": "bomba", "relevant": ["a.md", "docs/a.md", "docs/c.md"]}
    )
    line = ("compare", "--kb", home, "--queries", file, "--b", "k=2", *CHEAP)
    done = run(*line)
    assert "warning: 2 judged documents not in the knowledge base: a.md, docs/c.md;" in done.err
    done = run(*line, "--principal", "hr")
    assert "warning: 1 judged document not in the knowledge base: a.md;" in done.err


def test_a_file_without_judgements(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "q.tsv"
    file.write_text("1\tbomba\n2\tagua\n")
    line = ("compare", "--kb", home, "--queries", file, "--a", "mode=sparse", "--b", "mode=dense")
    done = run(*line, *CHEAP, "--format", "json")
    assert done.code == 0, done.err
    assert "measures" not in done.json
    assert 0 <= done.json["rbo"] < 1
    assert [row["id"] for row in done.json["differing"]]
    assert "differ most:" in run(*line, *CHEAP).out
    assert "differ most:" not in run(*line, *CHEAP, "--show", "0").out


def test_a_question_that_fails_leaves_the_others(home: Path, tmp_path: Path) -> None:
    good = {"text": "bomba"}
    wrong = {"text": "bomba", "relevant": "docs/a.md"}
    done = run("compare", "--kb", home, "--queries", questions(tmp_path / "q", good, wrong, {"x": 1}),
               "--b", "k=2", *CHEAP)  # fmt: skip
    assert done.code == 3
    assert "2 of 3 questions could not be compared" in done.err
    assert "relevant is a list" in done.err
    assert "1 question, 0 judged" in done.out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("x",), "are the same"),
        (("--a", "k=10", "x"), "are the same"),
        (("--b", "k=2"), "give one question"),
        (("--b", "k=2", "--queries", "q", "x"), "give one question"),
        (("--b", "k=2", "--queries", "nowhere"), "No such file"),
        (("--b", "chunk", "x"), "write SETTING=VALUE"),
        (("--b", "size=300", "x"), "no setting 'size'"),
        (("--b", "chunk.sise=300", "x"), "unknown field"),
        (("--b", "engine=nmslib", "x"), "engine.name"),
        (("--b", "parse.pdf_engine=pypdfium2", "x"), "how files are read"),
        (("--b", "generation=99", "x"), "no generation '99'"),
        (("--b", "k=2", ""), "empty"),
        (("--b", "k=2", "--max-calls", "3", "x"), "nothing asks an LLM"),
    ],
)
def test_mistakes(home: Path, line: tuple[str, ...], told: str) -> None:
    done = run("compare", "--kb", home, *line)
    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err


def test_an_empty_kb(tmp_path: Path) -> None:
    assert run("init", tmp_path).code == 0
    done = run("compare", "--kb", tmp_path, "--b", "k=2", "x")
    assert done.code == 2
    assert "tesela sync" in done.err


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(judge) as made:
        yield made


def test_an_llm_is_planned_and_capped(home: Path, tmp_path: Path, server: Server) -> None:
    kb = shutil.copytree(home, tmp_path / "kb")
    asked = ("--b", "rerank=llm", "--b", "llm_model=m", "--llm", server.url)
    file = questions(tmp_path / "q", {"text": "bomba"}, {"text": "agua"})
    line = ("compare", "--kb", kb, *CHEAP, *asked, "--set", "llm.model=m", "--queries", file)
    plan = run(*line, "--dry-run")
    assert plan.code == 0, plan.err
    assert plan.out.startswith("2 calls to an LLM")
    assert server.bodies == []
    assert not at(kb).ledger.exists()
    stopped = run(*line, "--max-calls", "1")
    assert (stopped.code, stopped.out) == (4, "")
    done = run(*line)
    assert done.code == 0, done.err
    assert "LLM: 1 call" in done.err
    assert len(server.bodies) == 2  # nothing was paid twice


def test_two_llms_share_the_cap(home: Path, tmp_path: Path, server: Server) -> None:
    kb = shutil.copytree(home, tmp_path / "kb")
    line = ("compare", "--kb", kb, "--set", "query.rerank=llm", "--llm", server.url)
    models = ("--a", "llm_model=m1", "--b", "llm_model=m2", "agua")
    assert run(*line, *models, "--max-calls", "1").code == 4
    assert len(server.bodies) == 1
    done = run(*line, *models, "--max-calls", "1")
    assert done.code == 0, done.err
    assert done.err.splitlines()[:2] == [
        "LLM: 1 call, 120 tokens, price unknown",
        "LLM: 1 answer from the cache",
    ]
    assert len(server.bodies) == 2


def test_contexts_of_an_llm_are_planned_capped_and_shared(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = shutil.copytree(home, tmp_path / "kb")
    before = untouched(kb)
    llm = Situates()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(llm) as server:
        named = ("--llm", server.url, "--llm-model", "m")
        line = ("compare", "--kb", kb, "--a", "context=none", "--b", "context=llm", *named, "bomba")
        plan = run(*line, "--dry-run")
        assert plan.code == 0, plan.err
        assert plan.out.startswith("4 calls to an LLM")
        assert llm.calls == 0
        assert run(*line, "--max-calls", "1").code == 4
        done = run(*line, "--format", "json")
        assert done.code == 0, done.err
        assert llm.calls == 4  # nothing was paid twice
        assert run(*line, "--max-calls", "1").code == 0  # all is there
        assert llm.calls == 4
    after = untouched(kb)
    assert after.pop(".tesela/ledger.sqlite")  # the bill is the KB's
    assert after == before


def test_an_llm_that_is_not_there(home: Path) -> None:
    assert run("compare", "--kb", home, *CHEAP, "--b", "rerank=llm", "bomba").code == 6
