"""A command imports what it uses and nothing else: seconds of start are made of imports."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import environment, make_kb, run

HEAVY = {
    "sklearn", "networkx", "faiss", "annoy", "hnswlib", "pymupdf", "pypdfium2", "httpx", "pandas",
    "scipy", "lxml", "docutils", "markdown_it", "tiktoken", "huggingface_hub", "yaml", "py3langid",
    "tomlkit", "pydantic",
}  # fmt: skip
MODEL = {"onnxruntime", "tokenizers"}
RICH = {"rich"}
CODE = """
import json, sys
from cli.main import run
code = run(sys.argv[1:])
sys.stderr.write("MODULES" + json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
sys.exit(code)
"""


def imported(*args: object) -> set[str]:
    """Top-level modules after a command line that succeeds."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, *map(str, args)],
        env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.rpartition("MODULES")[2]))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = make_kb(
        tmp_path_factory.mktemp("cold"), {"a.md": "# Uno\n\nhola mundo", "b.html": "<p>x"}
    )
    make_kb(home, {})
    return home


@pytest.mark.parametrize("command", [["--help"], ["query", "--help"], ["--version"]])
def test_help_imports_next_to_nothing(command: list[str]) -> None:
    assert not imported(*command) & (HEAVY | MODEL | RICH | {"numpy", "sqlite3"})


def test_a_lexical_question_needs_no_model(home: Path) -> None:
    line = ("query", "--kb", home, "--mode", "sparse", "--rerank", "none", "hola")
    assert not imported(*line) & (HEAVY | MODEL | RICH)


def test_a_question_needs_the_model_only(home: Path) -> None:
    found = imported("query", "--kb", home, "--format", "json", "hola mundo")
    assert found >= MODEL
    assert not found & (HEAVY | RICH)


def test_a_lexical_batch_needs_no_model(home: Path, tmp_path: Path) -> None:
    asked = tmp_path / "q.tsv"
    asked.write_text("1\thola\n")
    line = ("batch", "--kb", home, asked, "--mode", "sparse", "--set", "query.rerank=none")
    assert not imported(*line, "-o", tmp_path / "r") & (HEAVY | MODEL | RICH | {"sqlite3"})


def test_a_sync_that_finds_nothing_to_do_loads_no_model(home: Path) -> None:
    found = imported("sync", "--kb", home)
    assert not found & (HEAVY - {"yaml"} | MODEL | RICH)  # the Markdown parser's version is asked


def test_a_sync_that_finds_nothing_to_do_starts_no_process(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.workers.pool.Worker", None)
    assert run("sync", "--kb", home).code == 0
    (home / "docs" / "a.md").write_text("otra cosa")
    with pytest.raises(TypeError):
        run("sync", "--kb", home)
    monkeypatch.undo()
    assert run("sync", "--kb", home).code == 0


def test_status_and_show_need_no_model(home: Path) -> None:
    for line in (("status",), ("show", "docs/a.md"), ("config", "show", "--format", "json")):
        assert not imported(*line, "--kb", home) & (HEAVY | MODEL | RICH)
