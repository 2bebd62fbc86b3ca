"""Small things that were silent or stood in the way."""

import threading
import time
from pathlib import Path

import pytest

from kb.location import at
from kb.lock import writer_lock
from tests.running import make_kb, run, write


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("small"), {"a.md": "hola mundo"})


@pytest.mark.parametrize(
    "line",
    [
        ("gc",),
        ("gc", "--dry-run"),
        ("snapshot", "tag", "one"),
        ("snapshot", "remove", "one"),
    ],
)
def test_they_can_wait_for_another_writer(home: Path, line: tuple[str, ...]) -> None:
    held = threading.Event()

    def write_for_a_while() -> None:
        with writer_lock(at(home).lock):
            held.set()
            time.sleep(0.5)

    writer = threading.Thread(target=write_for_a_while)
    writer.start()
    held.wait()
    assert run(*line, "--kb", home).code == 5
    done = run(*line, "--wait", "30s", "--kb", home)
    writer.join()
    assert done.code == 0, done.err


def test_doctor_waits_only_where_it_writes(home: Path) -> None:
    assert run("doctor", "--kb", home, "--wait", "1s").code == 2
    assert run("doctor", "--kb", home, "--fix", "--wait", "1s").code == 0


def test_a_plan_of_gc_writes_nothing_and_counts_the_same(home: Path) -> None:
    write(home / "docs", {"a.md": "otra cosa"})
    assert run("sync", "--kb", home).code == 0
    line = ("gc", "--caches", "--kb", home, "--format", "json")
    planned = run(*line, "--dry-run").json
    assert run(*line, "--dry-run").json == planned
    done = run(*line).json
    for what in ("removed", "kept", "cached", "results", "answers", "compared"):
        assert planned[what] == done[what], what
    assert planned["removed"]


def test_what_supersedes_nothing_is_told(tmp_path: Path) -> None:
    new = "---\nsupersedes: [old.md, gone.md]\n---\n# Nuevo"
    write(tmp_path / "docs", {"new.md": new, "old.md": "# Viejo"})
    assert run("init", tmp_path, "--preset", "fast").code == 0
    done = run("sync", tmp_path / "docs", "--kb", tmp_path)
    assert "docs/new.md: it supersedes gone.md, which is no document here" in done.err
    assert "supersedes old.md" not in done.err
    found = run("doctor", "--kb", tmp_path)
    assert found.code == 0
    assert "note: supersedes: docs/new.md supersedes gone.md" in found.out


def test_a_label_that_nobody_can_have_is_refused(tmp_path: Path) -> None:
    home = make_kb(tmp_path, {"a.md": "hola"})
    with at(home).settings.open("a") as file:
        file.write('\n[[acl.rules]]\npath = "docs/"\nlabels = ["group:hr,user:ana"]\n')
    done = run("query", "hola", "--kb", home)
    assert done.code == 2
    assert "labels" in done.err
