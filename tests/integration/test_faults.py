"""Writers killed at every boundary and at any moment, and disks that are full.

After each: the old generation answered or the new one does, the next run finishes, nothing is
doubled, and the result is what a fresh build gives.
"""

import os
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from index.reader import GenerationReader
from kb import generations
from kb.location import at
from tests.faults import Nursery, load_fake
from tests.running import run, write

OLD = {f"old{i}.md": f"# Antiguo {i}\n\nLa bomba número {i} gira." for i in range(5)}
NEW = {f"new{i}.md": f"# Nuevo {i}\n\nThe turbine number {i} turns." for i in range(5)}
COMMANDS = {
    "sync": ("sync",),
    "reindex": ("reindex", "--model", "encoder-6"),
    "gc": ("gc", "--caches"),
}


@pytest.fixture(scope="module", autouse=True)
def cheap_models() -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setattr("kb.models.load.load_embedder", load_fake)
    yield
    patch.undo()


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as started:
        yield started


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A KB of two generations, with additions, an edit and a deletion waiting."""
    home = tmp_path_factory.mktemp("before")
    write(home / "docs", {"old0.md": "# Erste\n\nWeg damit."})
    assert run("init", home).code == 0
    assert run("sync", home / "docs", "--kb", home).code == 0
    write(home / "docs", OLD)
    assert run("sync", "--kb", home).code == 0
    write(home / "docs", {**NEW, "old1.md": "# Editado\n\nOtra bomba."})
    (home / "docs" / "old2.md").unlink()
    return home


Files = dict[str, str]


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory, before: Path) -> dict[str, Files]:
    """What fresh builds of the folder's present state hold, by command."""
    fresh = {}
    for name, model in (("sync", "encoder-12"), ("reindex", "encoder-6")):
        home = tmp_path_factory.mktemp(name)
        shutil.copytree(before / "docs", home / "docs")
        assert run("init", home).code == 0
        assert run("index", "--model", model, "--kb", home).code == 0
        assert run("sync", home / "docs", "--kb", home).code == 0
        fresh[name] = held(home)
    return fresh | {"gc": fresh["sync"]}


def held(home: Path) -> Files:
    """The SHA-256 of each file of the current generation."""
    manifest = GenerationReader.open(at(home)).manifest
    return {name: entry.sha256 for name, entry in manifest.files.items()}


def check(home: Path, before: Path, command: str, wanted: dict[str, Files]) -> None:
    old = held(before)
    now = held(home)
    if command == "gc":
        assert now == old
    asked = run("query", "--kb", home, "--format", "paths", "bomba")
    assert asked.code == 0, asked.err
    assert "old1.md" in asked.out
    if now == old:
        assert "new1.md" not in asked.out
    done = run(*COMMANDS[command], "--kb", home)
    assert done.code == 0, done.err
    done = run("sync", "--kb", home)
    assert done.code == 0, done.err
    reader = GenerationReader.open(at(home))
    ids = [chunk.id for chunk in reader.chunks]
    assert len(set(ids)) == len(ids)
    assert held(home) == wanted[command]
    assert generations.leftovers(at(home)) == []
    found = run("doctor", "--kb", home)
    assert (found.code, found.err) == (0, ""), found.out
    again = run("sync", "--kb", home)
    assert ", 0 embedded, " in again.err
    assert generations.current_number(at(home)) == reader.manifest.number


@pytest.fixture(scope="module")
def copies() -> Iterator[Path]:
    """In memory where there is such a disk: what is tested is the order of writes, not the disk."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


def copy(before: Path, copies: Path, name: str) -> Path:
    home = copies / name
    return Path(shutil.copytree(before, home, symlinks=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_killed_at_every_boundary(
    nursery: Nursery, before: Path, copies: Path, wanted: dict[str, Files], command: str
) -> None:
    home = copy(before, copies, f"{command}-whole")
    status, crossings, said = nursery.writer(*COMMANDS[command], "--kb", home)
    assert status == 0, said
    assert crossings >= 10
    step = 3 if command == "reindex" else 1  # which crosses the boundaries of a sync and a few more
    for at_boundary in range(1, crossings + 1, step):
        home = copy(before, copies, f"{command}-{at_boundary}")
        status, _, _ = nursery.writer(*COMMANDS[command], "--kb", home, kill_at=at_boundary)
        assert status == -9, at_boundary
        check(home, before, command, wanted)
        shutil.rmtree(home)


def test_killed_at_any_moment(
    nursery: Nursery, before: Path, copies: Path, wanted: dict[str, Files]
) -> None:
    home = copy(before, copies, "timed")
    started = time.monotonic()
    nursery.writer("sync", "--kb", home)
    length = time.monotonic() - started
    chance = random.Random(7)
    for number in range(40):
        home = copy(before, copies, f"random-{number}")
        nursery.writer("sync", "--kb", home, after=chance.uniform(0, length))
        check(home, before, "sync", wanted)


def test_killed_with_the_workers_that_users_have(
    nursery: Nursery, before: Path, copies: Path, wanted: dict[str, Files]
) -> None:
    for at_boundary in (4, 20):  # while they read, and after
        home = copy(before, copies, f"real-{at_boundary}")
        status, _, _ = nursery.writer("sync", "--kb", home, kill_at=at_boundary, real_workers=True)
        assert status == -9, at_boundary
        check(home, before, "sync", wanted)


def test_killed_again_and_again(
    nursery: Nursery, before: Path, copies: Path, wanted: dict[str, Files]
) -> None:
    home = copy(before, copies, "again")
    for at_boundary in (3, 9, 17, 25, 33, 41):
        nursery.writer("sync", "--kb", home, kill_at=at_boundary)
        assert run("query", "--kb", home, "--format", "paths", "bomba").code == 0
    check(home, before, "sync", wanted)


@pytest.mark.parametrize("room", [100, 1_000, 5_000, 20_000, 60_000])
def test_a_limit_on_file_sizes(
    nursery: Nursery, before: Path, copies: Path, wanted: dict[str, Files], room: int
) -> None:
    home = copy(before, copies, f"room-{room}")
    write(home / "docs", {"big.md": "\n\n".join(f"# {i}\n\nZeile {i}" for i in range(300))})
    status, _, said = nursery.writer("sync", "--kb", home, room=room)
    assert status == 1, said
    assert "free some space and run it again" in said
    assert "Traceback" not in said
    assert generations.leftovers(at(home)) == []
    (home / "docs" / "big.md").unlink()
    check(home, before, "sync", wanted)


def test_a_full_disk(
    nursery: Nursery, before: Path, tmp_path: Path, wanted: dict[str, Files]
) -> None:
    home = tmp_path / "small"
    home.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(home)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        shutil.copytree(before, home, dirs_exist_ok=True)
        filler = home / "filler"
        with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="space"):
            while True:
                file.write(bytes(4096))
        status, _, said = nursery.writer("sync", "--kb", home)
        assert status == 1, said
        assert "free some space and run it again" in said
        filler.unlink()
        check(home, before, "sync", wanted)
    finally:
        subprocess.run(["umount", "-l", str(home)], check=True)


def test_readers_while_generations_come_and_go(
    nursery: Nursery, before: Path, copies: Path
) -> None:
    home = copy(before, copies, "busy")
    failed: list[str] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            try:
                reader = GenerationReader.open(at(home))
                assert len(list(reader.chunks)) == len(reader.vectors) == len(reader.bm25)
            except Exception as error:
                failed.append(repr(error))

    readers = [threading.Thread(target=ask) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for number in range(15):
            write(home / "docs", {"edit.md": f"# Runde {number}\n\nText {number}."})
            done = nursery.writer("sync", "--set", "generations.keep=1", "--kb", home)
            assert done[0] == 0, done
    finally:
        stop.set()
        for reader in readers:
            reader.join()
    assert failed == []
    assert nursery.writer("gc", "--kb", home)[0] == 0
    assert len(generations.numbers(at(home))) == 1
