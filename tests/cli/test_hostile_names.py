"""Names and texts that would steer a terminal, and streams and options that are odd."""

import json
from pathlib import Path

import pytest

from tests.running import run, spawn

ESCAPE = "\x1b[2J"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hostile")
    docs = home / "docs"
    docs.mkdir()
    (docs / f"a{ESCAPE}\nb.md").write_text(f"a lynx ñandú {ESCAPE}walks\n")
    (docs / f"c{ESCAPE}.bin").write_bytes(bytes(range(256)))
    run("init", home)
    done = run("sync", "--kb", home, docs)
    assert done.code == 3
    assert "\x1b" not in done.err
    return home


@pytest.mark.parametrize("form", ["table", "md", "paths", "json", "jsonl", "trec", "csv"])
def test_a_document_gives_a_terminal_no_orders(hostile: Path, form: str) -> None:
    done = run("query", "--kb", hostile, "--mode", "sparse", "--format", form, "lynx", cwd=hostile)
    assert "\x1b" not in done.out + done.err
    if form == "paths":
        assert done.out.splitlines() == [r"docs/a\x1b[2J\nb.md:1"]
    if form == "jsonl":
        assert done.jsonl[0]["path"] == f"docs/a{ESCAPE}\nb.md"
        assert ESCAPE in done.jsonl[0]["text"]


@pytest.mark.parametrize("form", ["table", "paths", "json", "jsonl", "csv"])
def test_a_listed_name_is_one_line_without_orders(hostile: Path, form: str) -> None:
    shown = run("list", "--kb", hostile, "--path", "docs/a*", "--format", form).out
    assert "\x1b" not in shown
    assert "b.md" in shown


@pytest.mark.parametrize("command", ["status", "failures"])
def test_a_failed_name_is_one_line_without_orders(hostile: Path, command: str) -> None:
    shown = run(command, "--kb", hostile).out
    assert "\x1b" not in shown
    assert r"docs/c\x1b[2J.bin: " in shown


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_json_in_any_encoding(hostile: Path, encoding: str) -> None:
    args = ("query", "--kb", hostile, "--mode", "sparse", "--format", "json", "lynx ñandú 😀")
    done = spawn(*args, env={"PYTHONIOENCODING": encoding})
    found = json.loads(done.out)
    assert found["query"] == "lynx ñandú 😀"
    assert "ñandú" in found["hits"][0]["text"]


def test_a_terminal_without_a_width_still_gets_hits(hostile: Path) -> None:
    args = ("query", "--kb", hostile, "--mode", "sparse", "--format", "table", "lynx")
    assert "lynx" in spawn(*args, env={"COLUMNS": "0"}).out


def test_empty_values_are_told(hostile: Path) -> None:
    for option in ("--path", "--tag", "--type", "--language", "--since", "--until", "--as-of"):
        done = run("query", "--kb", hostile, option, "", "lynx")
        assert done.code == 2
        assert f"{option} is given and empty" in done.err
    for args in (("sync", ""), ("ingest", ""), ("source", "add", ""), ("source", "remove", "")):
        done = run(*args, cwd=hostile)
        assert (done.code, done.out) == (2, "")
        assert "a path is given and empty" in done.err
    assert run("source", "list", "--kb", hostile).out == "docs: 1 document\n"


def test_docid_without_trec_is_told(hostile: Path) -> None:
    done = run("query", "--kb", hostile, "--docid", "chunk", "--format", "paths", "lynx")
    assert done.code == 2
    assert "--format trec" in done.err


def test_more_hits_than_a_leg_is_deep(hostile: Path) -> None:
    args = (
        "query",
        "--kb",
        hostile,
        "--rerank",
        "none",
        "--set",
        "query.depth=1",
        "--format",
        "json",
    )
    many = "\n\n".join(f"# Part {i}\n\nThe heron number {i} walks." for i in range(12))
    (hostile / "docs" / "many.md").write_text(many)
    assert run("sync", "--kb", hostile, "--set", "chunk.size=8").code == 0
    for mode in ("dense", "sparse", "hybrid"):
        done = run(*args, "--mode", mode, "-k", 9, "heron")
        assert len(done.json["hits"]) == 9


def test_a_kb_that_may_not_be_written_is_looked_at(sample_copy: Path) -> None:
    inside = [sample_copy / ".tesela", *(sample_copy / ".tesela").rglob("*")]
    modes = {path: path.stat().st_mode for path in inside}
    for path, mode in modes.items():
        path.chmod(mode & 0o555)
    try:
        for command in ("doctor", "status", "failures"):
            done = spawn(command, "--kb", sample_copy, unprivileged=True)
            assert (done.code, "cannot be opened" in done.out) == (0, False), done.err
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


def test_questions_from_what_is_no_plain_file(hostile: Path) -> None:
    for source in (hostile, "/dev/null"):
        done = run("batch", source, "--kb", hostile)
        assert done.code == 2
        assert f"{source} is no plain file" in done.err
