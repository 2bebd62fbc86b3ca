"""``tesela graph build``, ``stats``, ``merge``, ``split``, ``aliases``, ``undo`` and ``off``."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.graph_llm import Lists
from tests.graph_texts import AGENCY, ZHANGS
from tests.llm_server import Server, serving
from tests.running import make_kb, run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = make_kb(tmp_path, {**AGENCY, **ZHANGS})
    assert run("graph", "build", cwd=made).code == 0
    return made


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all that change nothing."""
    made = make_kb(tmp_path_factory.mktemp("still"), {**AGENCY, **ZHANGS})
    assert run("graph", "build", cwd=made).code == 0
    return made


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Lists()) as made:
        yield made


def aliases(home: Path, name: str) -> list[str]:
    return run("graph", "aliases", name, cwd=home).out.splitlines()


def test_build_keeps_the_graph_for_later_runs(tmp_path: Path) -> None:
    home = make_kb(tmp_path, AGENCY)
    none = run("graph", "stats", cwd=home)
    assert none.code == 2
    assert "tesela graph build" in none.err
    built = run("graph", "build", cwd=home)
    assert built.code == 0
    assert "kept in tesela.toml: graph.enabled = true" in built.err
    assert "graph by rules: " in built.err
    assert run("graph", "stats", cwd=home).out.startswith("graph by rules: ")
    (home / "docs" / "new.md").write_text("Ada Brown works at Acme Labs.")
    assert run("sync", cwd=home).code == 0
    assert aliases(home, "acme labs") == ["Acme Labs"]


def test_stats_as_json(still: Path) -> None:
    found = run("graph", "stats", "--format", "json", cwd=still).json
    assert found["extractor"] == "rules"
    assert found["nodes"] == sum(found["types"].values()) > 5
    assert found["failed"] == found["pending"] == 0


def test_aliases(still: Path) -> None:
    assert set(aliases(still, "Mercer")) >= {"Alex Mercer", "Agent Mercer", "Mercer"}
    both = aliases(still, "dr zhang")
    assert len(both) == 2  # one line a name, after the id of whose it is
    assert len({line.split()[0] for line in both}) == 2
    found = run("graph", "aliases", "Mercer", "--format", "json", cwd=still).json
    assert [one["name"] for one in found] == ["Alex Mercer"]


def test_merge_split_and_undo(home: Path) -> None:
    merged = run("graph", "merge", "Taylor Cruz", "Dulce base", cwd=home)
    assert merged.code == 0
    assert "'taylor cruz' and 'dulce base' are one" in merged.err
    assert "Taylor Cruz" in aliases(home, "Dulce base")
    assert run("graph", "aliases", cwd=home).out == "'taylor cruz' and 'dulce base' are one\n"
    run("index", "--rebuild", cwd=home)
    assert "Taylor Cruz" in aliases(home, "Dulce base")
    assert "Cruz" in aliases(home, "Dulce base")
    assert run("graph", "split", "Cruz", cwd=home).code == 0
    assert aliases(home, "Cruz") == ["Cruz"]
    run("graph", "undo", cwd=home)
    assert "Taylor Cruz" in aliases(home, "Cruz")
    undone = run("graph", "undo", "--all", cwd=home)
    assert "taken back: 'taylor cruz' and 'dulce base' are one" in undone.err
    assert "Taylor Cruz" not in aliases(home, "Dulce base")
    nothing = run("graph", "undo", cwd=home)
    assert nothing.code == 2
    assert "nothing to take back" in nothing.err


def test_a_split_of_a_lone_name_parts_its_documents(home: Path) -> None:
    assert len(aliases(home, "Dulce base")) == 1
    assert run("graph", "split", "Dulce base", cwd=home).code == 0
    assert len(aliases(home, "Dulce base")) == 2


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("merge", "Taylor Cruz", "Nobody Known"), "no entity named 'Nobody Known'"),
        (("merge", "the taylor cruz", "Taylor Cruz"), "are one name already"),
        (("split", "Nobody Known"), "no entity named 'Nobody Known'"),
        (("merge", "…", "Taylor Cruz"), "holds no letter"),
        (("build", "--format", "json"), "--format goes with --dry-run"),
        (("build", "--dry-run"), "made by rules"),
        (("build", "--max-calls", "3"), "made by rules"),
        (("build", "--gleanings", "1"), "made by rules"),
        (("build", "--types", "person"), "made by rules"),
        (("build", "--extractor", "llm"), "llm.url is not set"),
        (("build", "--types", " , "), "names no type"),
        (("build", "--set", "graph.gleanings=9"), "graph.gleanings"),
    ],
)
def test_mistakes_are_told(still: Path, args: tuple[str, ...], words: str) -> None:
    ran = run("graph", *args, cwd=still)
    assert ran.code == 2
    assert words in " ".join(ran.err.split())
    assert "Traceback" not in ran.err


def test_off_and_on_again(home: Path) -> None:
    run("graph", "merge", "Taylor Cruz", "Dulce base", cwd=home)
    assert run("graph", "off", cwd=home).code == 0
    assert run("graph", "stats", cwd=home).code == 2
    assert run("graph", "build", cwd=home).code == 0
    assert "Taylor Cruz" in aliases(home, "Dulce base")


def test_an_llm_is_planned_capped_and_asked(
    home: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    llm = ("--extractor", "llm", "--llm", server.url, "--llm-model", "m")
    planned = run("graph", "build", *llm, "--dry-run", "--format", "json", cwd=home)
    assert planned.json["calls"] == 4
    assert not server.bodies
    assert "graph by rules" in run("graph", "stats", cwd=home).out
    capped = run("graph", "build", *llm, "--max-calls", "1", "--set", "llm.concurrency=1", cwd=home)
    assert capped.code == 4
    assert len(server.bodies) == 1
    assert "still to be asked about 3 chunks" in run("graph", "stats", cwd=home).out
    assert run("graph", "build", cwd=home).code == 0
    assert len(server.bodies) == 4
    assert run("graph", "stats", "--format", "json", cwd=home).json["pending"] == 0


def test_number_tables_save_load_and_say_so(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"n.csv": "1,2,3\n4,5,6\n"})
    assert "no entities were found in 1 chunk" in run("graph", "build", cwd=home).err
    assert "no entities were found" in run("graph", "stats", cwd=home).out
    assert run("graph", "aliases", "Anything", cwd=home).code == 2
