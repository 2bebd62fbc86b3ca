"""A writer killed at any moment: the old generation answers, the next sync completes it."""

import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from index.reader import GenerationReader
from kb.location import at
from kb.records import Chunk
from tests.running import TESELA, environment, make_kb, run, write

OLD = {f"old{i}.md": f"# Antiguo {i}\n\nLa bomba número {i} gira." for i in range(6)}
NEW = {f"new{i:02}.md": f"# Nuevo {i}\n\nThe turbine number {i} turns." for i in range(34)}
# Runs the command line and dies, as by kill -9, at the n-th call of one function.
KILLED = """
import importlib, os, signal, sys
module, name, count, *arguments = sys.argv[1:]
import index.embed, ingest.batches
index.embed._BATCH = 8
ingest.batches.BATCH_ITEMS = 8
owner = importlib.import_module(module)
*path, last = name.split(".")
for part in path:
    owner = getattr(owner, part)
real, left = getattr(owner, last), int(count)
def hooked(*args, **kwargs):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **kwargs)
setattr(owner, last, hooked)
from cli.main import run
sys.exit(run(arguments))
"""
MOMENTS = [
    ("kb.store", "Store.put", 2),  # some files are read
    ("kb.store", "Store.put", 8),  # some documents are cut
    ("index.vector_cache", "VectorCache.put", 3),  # some chunks are embedded
    ("index.builder", "write_vectors", 1),
    ("index.engines.exact", "ExactEngine.save", 1),
    ("kb.generations", "publish", 1),
    ("kb.generations", "_fsync", 5),
    ("pathlib", "Path.rename", 1),  # before the folder gets its number
    ("pathlib", "Path.replace", 1),  # before CURRENT names it
    ("kb.generations", "prune", 1),  # after
    ("kb.store", "Store.collect", 1),
]


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A KB of the old files, with the new and one edit and one deletion waiting."""
    home = make_kb(tmp_path_factory.mktemp("before"), OLD)
    write(home / "docs", {**NEW, "old1.md": "# Editado\n\nOtra bomba."})
    (home / "docs" / "old2.md").unlink()
    return home


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory, before: Path) -> list[Chunk]:
    """The chunks of a fresh build."""
    files = {p.name: p.read_bytes() for p in (before / "docs").iterdir()}
    home = make_kb(tmp_path_factory.mktemp("fresh"), files)
    return chunks(home)


def chunks(home: Path) -> list[Chunk]:
    return list(GenerationReader.open(at(home)).chunks)


def check(home: Path, before: Path, wanted: list[Chunk]) -> None:
    assert chunks(home) in (chunks(before), wanted)
    asked = run("query", "--kb", home, "--format", "paths", "bomba", cwd=home)
    assert asked.code == 0
    assert re.fullmatch(r"(\d+ files? changed since the last sync: run tesela sync\n)?", asked.err)
    assert asked.out
    done = run("sync", "--kb", home)
    assert done.code == 0, done.err
    assert chunks(home) == wanted
    folder = home / ".tesela" / "generations"
    assert not [p.name for p in folder.iterdir() if not p.name.isdigit()]
    again = run("sync", "--kb", home)
    assert ", 0 embedded, " in again.err
    assert again.err.count(" unchanged (") == 1


@pytest.mark.parametrize(("module", "name", "count"), MOMENTS)
def test_killed_at_a_chosen_moment(
    tmp_path: Path, before: Path, wanted: list[Chunk], module: str, name: str, count: int
) -> None:
    home = Path(shutil.copytree(before, tmp_path / "kb"))
    line = [sys.executable, "-c", KILLED, module, name, str(count), "sync", "--kb", str(home)]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    check(home, before, wanted)


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_any_moment(tmp_path: Path, before: Path, wanted: list[Chunk], seed: int) -> None:
    home = Path(shutil.copytree(before, tmp_path / "kb"))
    with subprocess.Popen(
        [*TESELA, "sync", "--kb", str(home)], env=environment(), stderr=subprocess.DEVNULL
    ) as writer:
        time.sleep(random.Random(seed).uniform(0.1, 1.2))
        writer.kill()
    check(home, before, wanted)


def test_nothing_embedded_before_the_kill_is_embedded_again(tmp_path: Path, before: Path) -> None:
    home = Path(shutil.copytree(before, tmp_path / "kb"))
    line = [sys.executable, "-c", KILLED, "index.vector_cache", "VectorCache.put", "4"]
    killed = subprocess.run(
        [*line, "sync", "--kb", str(home)], env=environment(), capture_output=True, text=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = run("sync", "--kb", home)
    assert f", {len(NEW) + 1 - 3 * 8} embedded, " in done.err


def test_killed_after_the_last_source_was_forgotten(tmp_path: Path) -> None:
    """Between reading and publishing: the next run still has something to publish."""
    home = make_kb(tmp_path, {"a.md": "# Uno\n\nLa bomba gira."})
    assert run("source", "remove", "docs", "--kb", home, cwd=home).code == 0
    line = [sys.executable, "-c", KILLED, "index.sync", "index_documents", "1", "sync"]
    killed = subprocess.run([*line, "--kb", str(home)], env=environment(), capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert len(chunks(home)) == 1
    assert run("sync", "--kb", home).err.startswith("no files; 0 chunks of 0 documents")
    assert chunks(home) == []
    assert run("sync", "--kb", home).err == "nothing is followed yet: tesela sync PATH\n"


def test_killed_with_its_workers_at_work(tmp_path: Path) -> None:
    """They end with it, and what was committed is not read again."""
    home = make_kb(tmp_path, {"first.md": "uno"})
    slow = "<p>" + "<b><i>" * 15_000
    write(home / "docs", {f"n{n:02}.html": f"{slow}{n}" for n in range(24)})
    line = [sys.executable, "-c", KILLED, "kb.store", "Store.put", "3", "sync", "--kb", str(home)]
    done = subprocess.run(line, env=environment(), capture_output=True, text=True, timeout=100)
    assert done.returncode == -signal.SIGKILL, done.stderr
    counts = [
        int(n)
        for n in re.findall(
            r"(\d+) (?:added|unchanged)", run("ingest", "docs", "--kb", home, cwd=home).err
        )
    ]
    assert counts == [8, 17]
