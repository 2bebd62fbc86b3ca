"""A generation made from the one before has the bytes of one made anew."""

import random
import shutil
from pathlib import Path

import pytest

from index.build import BuildReport
from index.sync import index_documents, sync
from kb.configure import load_settings
from kb.generations import current_folder
from kb.location import Location, at
from kb.settings import Settings
from kb.store import Store
from tests.cheap import Cheap
from tests.unit.test_recursive_chunks import prose

SETTINGS = load_settings(flags={"chunk.size": 48}, environment={})


def synced(location: Location, embedder: Cheap, settings: Settings = SETTINGS) -> BuildReport:
    with Store(location) as store:
        docs = [location.home / "docs"]
        return sync(location, store, settings, embedder, lambda *_: None, docs).build


def rebuilt(location: Location, embedder: Cheap, settings: Settings = SETTINGS) -> None:
    shutil.rmtree(location.vector_cache.parent)
    with Store(location) as store:
        index_documents(location, store, settings, embedder, lambda *_: None, rebuild=True)


def components(location: Location) -> dict[str, bytes]:
    folder = current_folder(location)
    assert folder is not None
    assert not list(folder.rglob("tmp*"))
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.name != "manifest.json"
    }


def write(folder: Path, name: str, rng: random.Random) -> None:
    blocks = [f"# {name[-5:]}", *(prose(rng, rng.randint(1, 5)) for _ in range(rng.randint(0, 5)))]
    (folder / name).write_text("\n\n".join(blocks), encoding="utf-8")


def change(folder: Path, rng: random.Random, step: int) -> None:
    """One of add, edit, delete, rename, copy, copy of a text."""
    files = sorted(folder.iterdir())
    chosen = rng.choice(files) if files else None
    kind = rng.choice(["add", "edit", "delete", "rename", "copy", "twice"]) if chosen else "add"
    if chosen is None or kind == "add":
        write(folder, f"{rng.randrange(90)}-{step}.md", rng)
    elif kind == "edit":
        write(folder, chosen.name, rng)
    elif kind == "delete":
        chosen.unlink()
    elif kind == "rename":
        chosen.rename(folder / f"{rng.randrange(90)}-r{step}.md")
    elif kind == "copy":
        shutil.copy(chosen, folder / f"{rng.randrange(90)}-c{step}.md")
    else:
        chosen.write_bytes(chosen.read_bytes() + b"\n\n" + chosen.read_bytes())


@pytest.mark.parametrize("seed", range(4))
def test_same_bytes_as_a_rebuild(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    location, embedder = at(tmp_path), Cheap()
    location.folder.mkdir()
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(6):
        write(folder, f"{number}.md", rng)
    synced(location, embedder)
    for step in range(5):
        for _ in range(rng.randint(1, 3)):
            change(folder, rng, step)
        synced(location, embedder)
        incremental = components(location)
        rebuilt(location, embedder)
        assert components(location) == incremental


def test_vectors_come_from_the_generation_before_when_the_cache_is_gone(tmp_path: Path) -> None:
    rng = random.Random(1)
    location, embedder = at(tmp_path), Cheap()
    (tmp_path / "docs").mkdir()
    location.folder.mkdir()
    for number in range(6):
        write(tmp_path / "docs", f"{number}.md", rng)
    synced(location, embedder)
    shutil.rmtree(location.vector_cache.parent)
    (tmp_path / "docs" / "new.md").write_text("one new text")
    embedder.seen.clear()
    assert synced(location, embedder).embedded == 1
    assert len(embedder.seen) == 1


@pytest.mark.parametrize("name", ["vectors/vectors.npy", "tokens/codes.bin", "bm25/rows.npy"])
def test_damage_is_not_carried_over(tmp_path: Path, name: str) -> None:
    rng = random.Random(2)
    location, embedder = at(tmp_path), Cheap()
    (tmp_path / "docs").mkdir()
    location.folder.mkdir()
    for number in range(4):
        write(tmp_path / "docs", f"{number}.md", rng)
    synced(location, embedder)
    folder = current_folder(location)
    assert folder is not None
    path = folder / name
    raw = path.read_bytes()
    path.write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    (tmp_path / "docs" / "new.md").write_text("one new text")
    synced(location, embedder)
    after = components(location)
    rebuilt(location, embedder)
    assert components(location) == after


OTHERS: list[dict[str, object]] = [
    {"bm25.stem": False},
    {"token_vectors.store": False},
    {"engine.name": "hnsw"},
    {"chunk.size": 64},
]


@pytest.mark.parametrize("flags", OTHERS)
def test_other_settings_carry_only_what_is_the_same(
    tmp_path: Path, flags: dict[str, object]
) -> None:
    rng = random.Random(3)
    location, embedder = at(tmp_path), Cheap()
    (tmp_path / "docs").mkdir()
    location.folder.mkdir()
    write(tmp_path / "docs", "a.md", rng)
    synced(location, embedder)
    other = load_settings(flags={"chunk.size": 48, **flags}, environment={})
    for number, settings in enumerate((other, SETTINGS)):
        (tmp_path / "docs" / f"new-{number}.md").write_text("running pumps and words")
        synced(location, embedder, settings)
        after = components(location)
        rebuilt(location, embedder, settings)
        assert components(location) == after
