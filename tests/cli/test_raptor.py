"""``tesela raptor``, as people meet it."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.running import make_kb, run

FILES = {
    f"{name}{i}.md": f"# {name} {i}\n\nThe {name} is of {matter}. {name} number {i} stands in room {i}.\n"
    for name, matter in (("pump", "iron"), ("valve", "brass"), ("fence", "oak"))
    for i in range(5)
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = make_kb(tmp_path_factory.mktemp("raptor"), FILES)
    done = run("raptor", "build", "--kb", home)
    assert done.code == 0, done.err
    assert "kept in tesela.toml: raptor.enabled = true" in done.err
    assert re.search(
        r"1 tree over 15 chunks: [\d +]+ summaries \(extractive, one tree a corpus\)", done.err
    )
    return home


def test_show_is_a_tree_of_lines(home: Path) -> None:
    done = run("raptor", "show", "--depth", "9", "--kb", home)
    assert (done.code, done.err) == (0, "")
    first, *others = done.out.splitlines()
    assert re.match(r"summary:[0-9a-f]{8} \(15 chunks\)  \S", first)
    assert sum("docs/" in line and ".md:" in line for line in others) >= 15
    assert all(re.match(r"[│ ]*[├└]─ ", line) for line in others)


def test_show_from_a_node(home: Path) -> None:
    top = run("raptor", "show", "--depth", "0", "--kb", home).out.split()[0]
    assert len(run("raptor", "show", "--depth", "0", "--kb", home).out.splitlines()) == 1
    below = run("raptor", "show", top, "--depth", "1", "--kb", home).out.splitlines()
    assert below[0].startswith(top)
    assert len(below) > 1
    assert run("show", top.removeprefix("summary:"), "--kb", home).code == 0
    wrong = run("raptor", "show", "nope", "--kb", home)
    assert wrong.code == 2
    assert "'nope' is no summary of the tree: 'tesela raptor show' names" in wrong.err


def test_show_for_programs(home: Path) -> None:
    found = run("raptor", "show", "--format", "json", "--kb", home).json
    nodes = {node["id"]: node for node in found["nodes"]}
    (tree,) = found["trees"]
    assert tree["scope"] == ""
    assert all(child in nodes for node in nodes.values() for child in node["children"])
    assert sum(not node["chunks"] for node in nodes.values()) == 15
    assert nodes[tree["tops"][0]]["chunks"] == 15
    dot = run("raptor", "show", "--format", "dot", "--kb", home).out.splitlines()
    edges = sum(len(node["children"]) for node in nodes.values())
    assert dot[0] == "digraph tree {"
    assert dot[-1] == "}"
    assert sum(" -> " in line for line in dot) == edges


def test_the_page_needs_no_network(home: Path) -> None:
    page = run("raptor", "show", "--format", "html", "--kb", home).out
    assert "http" not in page
    assert "<script" not in page
    seen: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: seen.append(tag)  # type: ignore[method-assign]
    parser.handle_endtag = lambda tag: seen.append("/" + tag)  # type: ignore[method-assign]
    parser.feed(page)
    assert seen.count("details") == seen.count("/details") > 1


def test_stats(home: Path) -> None:
    found = run("raptor", "stats", "--format", "json", "--kb", home).json
    assert (found["trees"], found["leaves"], found["drift"]) == (1, 15, 0.0)
    assert sum(level["summaries"] for level in found["levels"]) == found["summaries"]
    said = run("raptor", "stats", "--kb", home).out
    assert "drift 0.00" in said
    assert "level 1: " in said


def test_a_plan_writes_nothing(home: Path) -> None:
    before = {p: p.stat().st_mtime_ns for p in (home / ".tesela").rglob("*") if p.is_file()}
    done = run("raptor", "build", "--scope", "document", "--dry-run", "--kb", home)
    assert done.code == 0, done.err
    assert "no call to an LLM" in done.out
    planned = run("raptor", "build", "--dry-run", "--format", "json", "--kb", home).json
    assert [level["new"] for level in planned["levels"]] == [0] * len(planned["levels"])
    assert planned["llm"]["calls"] == 0
    after = {p: p.stat().st_mtime_ns for p in (home / ".tesela").rglob("*") if p.is_file()}
    assert before == after


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--max-usd", "1"], "add --summarizer llm"),
        (["--retry"], "add --summarizer llm"),
        (["--format", "json"], "--format goes with --dry-run"),
        (["--summarizer", "llm"], "llm.url is not set: add --llm URL"),
        (["--rebuild-if", "drift>much"], "drift>SHARE, e.g. drift>0.2"),
        (["--max-levels", "0"], "max_levels"),
    ],
)
def test_mistakes_are_told_before_any_work(home: Path, args: list[str], told: str) -> None:
    done = run("raptor", "build", *args, "--kb", home)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_off_and_on_again(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": FILES["pump0.md"], "b.md": FILES["pump1.md"]})
    for command in ("show", "stats"):
        none = run("raptor", command, "--kb", home)
        assert none.code == 2
        assert "has no tree of summaries: 'tesela raptor build' makes one" in none.err
    assert run("raptor", "build", "--kb", home).code == 0
    assert json.loads(run("status", "--format", "json", "--kb", home).out)["derived"]
    done = run("raptor", "off", "--kb", home)
    assert done.code == 0
    assert "raptor.enabled = false" in done.err
    assert run("raptor", "stats", "--kb", home).code == 2
    again = run("raptor", "build", "--kb", home)
    assert " 0 embedded" in again.err


def test_a_lone_chunk_has_no_tree_and_that_is_no_fault(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": FILES["pump0.md"]})
    done = run("raptor", "build", "--kb", home)
    assert done.code == 0, done.err
    assert "0 trees over 0 chunks: no summaries" in done.err
    shown = run("raptor", "show", "--kb", home)
    assert (shown.code, shown.out) == (0, "")
    assert "there is nothing to show" in shown.err
    assert run("sync", "--kb", home).code == 0


def test_a_closed_passage_that_a_summary_does_not_quote_is_not_named(tmp_path: Path) -> None:
    home = make_kb(tmp_path, FILES)
    assert run("raptor", "build", "--kb", home).code == 0

    def shown(*who: object) -> str:
        nodes = run("raptor", "show", "--format", "json", "--kb", home, *who).json["nodes"]
        names = [node["path"] for node in nodes if node["level"]]
        assert names
        return "".join(run("show", name, "--kb", home, *who).out for name in names)

    closed = re.findall(r"# also of (\S+)", shown())[0]
    text = (home / closed).read_text(encoding="utf-8")
    (home / closed).write_text(f"---\nacl: [staff]\n---\n{text}", encoding="utf-8")
    assert run("sync", "--kb", home).code == 0
    assert closed in shown("--principal", "staff")
    assert closed not in shown()
