"""Every kind of damage is found, named with the command that mends it, and mended by it."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from index.health.table import CHECKS
from kb import generations
from kb.location import at
from tests.faults import load_fake
from tests.running import hit_names, make_kb, run, write

FILES = {
    "a.md": "# Uno\n\nhola mundo\n\n## Dos\n\nla bomba gira\n",
    "b.txt": "otra cosa\n",
}


@pytest.fixture(autouse=True)
def cheap_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.models.load.load_embedder", load_fake)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    patch = pytest.MonkeyPatch()
    patch.setattr("kb.models.load.load_embedder", load_fake)
    home = make_kb(tmp_path_factory.mktemp("doctor"), FILES)
    patch.undo()
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "kb"))


def current(home: Path) -> Path:
    folder = generations.current_folder(at(home))
    assert folder is not None
    return folder


def spoil(path: Path) -> None:
    """Other bytes of the same length, in a file of its own."""
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(bytes(b ^ 0x5A for b in data))


def cut(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[: len(data) // 2])


def query(home: Path) -> None:
    assert hit_names(home, "bomba", "-k", 1) == ["a.md"]


def test_a_sound_one_is_called_sound(home: Path) -> None:
    done = run("doctor", "--kb", home)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"sound: {len(CHECKS)} checks, nothing wrong\n"
    assert run("doctor", "--kb", home, "--format", "json").json == {
        "sound": True,
        "done": [],
        "findings": [],
    }


def _files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


@pytest.mark.parametrize("how", [spoil, cut, Path.unlink])
def test_any_damaged_file_of_a_generation_is_found_and_mended(
    home: Path, how: Callable[[Path], None]
) -> None:
    for name in _files(current(home)):
        if (current(home) / name).stat().st_size == 0:
            continue
        how(current(home) / name)
        found = run("doctor", "--kb", home)
        assert found.code == 1, name
        assert "→ tesela doctor --fix" in found.out
        fixed = run("doctor", "--fix", "--kb", home)
        assert fixed.code == 0, (name, fixed.out, fixed.err)
        assert "done: built generation" in fixed.out
        assert ", 0 chunks embedded" in fixed.out
        query(home)


def test_a_damaged_engine_answers_with_a_warning_and_the_next_sync_mends_it(home: Path) -> None:
    assert run("index", "--engine", "hnsw", "--kb", home).code == 0
    for name in sorted(file.name for file in (current(home) / "engine").iterdir()):
        spoil(current(home) / "engine" / name)
        asked = run("query", "bomba", "-k", 1, "--format", "paths", "--kb", home)
        assert asked.code == 0
        assert "a.md" in asked.out
        assert "searching exactly instead" in asked.err
        assert "tesela sync" in asked.err
        before = current(home)
        synced = run("sync", "--kb", home)
        assert synced.code == 0, synced.err
        assert f"engine/{name} was damaged" in synced.err
        assert ", 0 embedded, " in synced.err
        assert current(home) != before
        asked = run("query", "bomba", "-k", 1, "--format", "paths", "--kb", home)
        assert asked.err == ""


@pytest.mark.parametrize("content", ["0009\n", "", "../..\n", b"\xff\xfe"])
def test_a_damaged_pointer_is_mended(home: Path, content: str | bytes) -> None:
    write(home, {".tesela/CURRENT": content})
    assert run("doctor", "--kb", home).code == 1
    fixed = run("doctor", "--fix", "--kb", home)
    assert fixed.code == 0, fixed.out
    assert "CURRENT names generation 1 now" in fixed.out
    query(home)


def test_a_pointer_and_its_generation_lost_are_built_anew(home: Path) -> None:
    shutil.rmtree(current(home))
    for line in (("query", "hola"), ("sync",)):
        assert "tesela index --rebuild" in run(*line, "--kb", home).err
    fixed = run("doctor", "--fix", "--kb", home)
    assert fixed.code == 0, fixed.out
    query(home)


@pytest.mark.parametrize("how", [spoil, cut])
def test_a_damaged_store_is_put_aside_and_made_anew(
    home: Path, how: Callable[[Path], None]
) -> None:
    how(at(home).store)
    refused = run("sync", "--kb", home)
    assert refused.code == 1
    assert "tesela doctor --fix" in refused.err
    query(home)
    fixed = run("doctor", "--fix", "--kb", home)
    assert "put the damaged store aside as store.sqlite.damaged-1" in fixed.out
    if "its sources could not be read" in fixed.out:
        assert run("sync", home / "docs", "--kb", home).code == 0
    assert run("doctor", "--kb", home).code == 0
    write(home / "docs", {"c.md": "la turbina"})
    assert run("sync", "--kb", home).code == 0
    assert hit_names(home, "turbina", "-k", 1) == ["c.md"]


def test_sources_are_saved_from_a_store_that_is_damaged_elsewhere(home: Path) -> None:
    with sqlite3.connect(at(home).store) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name='chunks'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    with at(home).store.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)
    assert run("doctor", "--kb", home).code == 1
    fixed = run("doctor", "--fix", "--kb", home)
    assert fixed.code == 0, fixed.out
    assert "read all sources again: 2 documents, 0 chunks embedded" in fixed.out
    query(home)


def test_results_lost_from_the_store_are_made_again(home: Path) -> None:
    for table in ("documents", "chunks", "contexts"):
        with sqlite3.connect(at(home).store) as db:
            db.execute(f"DELETE FROM {table}")
        db.close()
        found = run("doctor", "--kb", home)
        assert found.code == 1
        assert "2 results" in found.out
        fixed = run("doctor", "--fix", "--kb", home)
        assert fixed.code == 0, fixed.out
        query(home)


@pytest.mark.parametrize("how", [spoil, cut])
def test_a_damaged_cache_is_put_aside(home: Path, how: Callable[[Path], None]) -> None:
    how(at(home).vector_cache)
    assert run("doctor", "--kb", home).code == 1
    fixed = run("doctor", "--fix", "--kb", home)
    assert fixed.code == 0, fixed.out
    write(home / "docs", {"c.md": "la turbina"})
    assert run("sync", "--kb", home).code == 0


def test_what_a_newer_version_wrote_is_refused(home: Path) -> None:
    manifest = current(home) / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 99'))
    for line in (("query", "hola"), ("sync",), ("status",)):
        done = run(*line, "--kb", home)
        assert done.code == 6, line
        assert "format 99" in done.err
    found = run("doctor", "--fix", "--kb", home)
    assert found.code == 1
    assert "→ upgrade tesela" in found.out


def test_a_store_of_a_newer_version_is_refused(home: Path) -> None:
    with sqlite3.connect(at(home).store) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    done = run("sync", "--kb", home)
    assert done.code == 6
    assert "schema 99" in done.err
    found = run("doctor", "--fix", "--kb", home)
    assert found.code == 1
    assert "→ upgrade tesela" in found.out
    query(home)


def _lie(home: Path, change: Callable[[Path], None]) -> None:
    """Change files of the current generation and have its manifest agree."""
    folder = current(home)
    change(folder)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    files = {
        n: {"size": e.size, "sha256": e.sha256} for n, e in generations.entries(folder).items()
    }
    (folder / "manifest.json").write_text(json.dumps({**manifest, "files": files}))


def _twice(folder: Path) -> None:
    """The second chunk gets the id of the first."""
    table = folder / "chunks" / "chunks.jsonl"
    lines = table.read_text().splitlines()
    first, second = (json.loads(line)["id"] for line in lines[:2])
    table.write_text("\n".join([lines[0], lines[1].replace(second, first), *lines[2:]]) + "\n")


def _another_word(folder: Path) -> None:
    table = folder / "chunks" / "chunks.jsonl"
    table.write_text(table.read_text().replace("mundo", "MUNDO"))


def _long(folder: Path) -> None:
    path = folder / "vectors" / "vectors.npy"
    np.save(path, np.load(path) * 2)


def _fewer(folder: Path) -> None:
    path = folder / "vectors" / "vectors.npy"
    np.save(path, np.load(path)[:-1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_twice, "is there twice"),
        (_another_word, "is not the slice of docs/a.md"),
        (_long, "has not unit length"),
        (_fewer, "vectors has"),
    ],
)
def test_contents_that_contradict_each_other(
    home: Path, change: Callable[[Path], None], words: str
) -> None:
    _lie(home, change)
    found = run("doctor", "--kb", home)
    assert found.code == 1
    assert words in found.out
    assert run("doctor", "--fix", "--kb", home).code == 0


def test_another_model_in_the_settings(home: Path) -> None:
    (home / ".tesela" / "tesela.toml").write_text('[embed]\nmodel = "encoder-12"\n')
    found = run("doctor", "--kb", home)
    assert found.code == 1
    assert "fake/encoder-6" in found.out
    assert "fake/encoder-12" in found.out


def test_settings_that_do_not_hold(home: Path) -> None:
    (home / ".tesela" / "tesela.toml").write_text("[chunk]\nsise = 3\n")
    found = run("doctor", "--kb", home)
    assert found.code == 1
    assert "sise" in found.out
    assert "→ edit" in found.out


def test_a_missing_extra_is_a_note_until_it_is_needed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    assert run("index", "--engine", "annoy", "--kb", home).code == 0
    real = importlib.util.find_spec
    gone = {"hnswlib"}
    monkeypatch.setattr(
        "kb.registry.importlib.util.find_spec", lambda name: None if name in gone else real(name)
    )
    found = run("doctor", "--kb", home)
    assert found.code == 0
    assert "note: extras: engine 'hnsw'" in found.out
    gone.add("annoy")
    found = run("doctor", "--kb", home)
    assert found.code == 1
    assert "uv sync --extra annoy" in found.out


def test_leftovers_are_noted_and_removed(home: Path) -> None:
    write(at(home).generations / "building", {"x": "y"})
    found = run("doctor", "--kb", home)
    assert found.code == 0
    assert "building was left by an interrupted run" in found.out
    assert "removed building" in run("doctor", "--fix", "--kb", home).out


def test_old_generations_and_lost_snapshots(home: Path) -> None:
    old = current(home)
    write(home / "docs", {"c.md": "tres"})
    assert run("sync", "--kb", home).code == 0
    cut(old / "chunks" / "chunks.jsonl")
    found = run("doctor", "--kb", home)
    assert found.code == 1
    assert "old generation 1 is damaged: chunks/chunks.jsonl" in found.out
    assert "removed the damaged generation 1" in run("doctor", "--fix", "--kb", home).out
    write(home, {".tesela/snapshots.json": '{"lost": 1}'})
    assert "→ tesela snapshot remove lost" in run("doctor", "--kb", home).out
    assert run("snapshot", "remove", "lost", "--kb", home).code == 0
    assert run("doctor", "--kb", home).code == 0


def test_a_writer_at_work_is_noted(home: Path) -> None:
    note = {"pid": os.getppid(), "host": os.uname().nodename, "since": "now"}
    write(home, {".tesela/lock": json.dumps(note)})
    write(at(home).generations / "building", {"x": "y"})
    found = run("doctor", "--kb", home)
    assert found.code == 0
    assert "may be writing" in found.out
    assert "building" not in found.out


def test_a_store_out_of_reach_is_not_put_aside(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.health.base.problem", lambda _: "unable to open database file")
    assert run("doctor", "--fix", "--kb", home).code == 1
    assert at(home).store.exists()


@pytest.mark.parametrize("loss", ["damaged", "gone"])
def test_a_lost_store_does_not_empty_the_index(home: Path, loss: str) -> None:
    store = at(home).store
    if loss == "damaged":
        store.write_bytes(b"junk")
        assert run("doctor", "--kb", home, "--fix").code == 0
    else:
        store.unlink()
    before = hit_names(home, "bomba")
    for command in (("index",), ("reindex", "--model", "encoder-6")):
        done = run(*command, "--kb", home)
        assert done.code == 1
        assert "generation 1 holds 2 documents" in done.err
        assert "tesela sync PATH" in done.err
    told = run("doctor", "--kb", home).out
    assert "names no source and no file, and generation 1 holds 2 documents" in told
    assert "tesela index" not in told
    assert hit_names(home, "bomba") == before
    assert run("index", "--kb", home, "--rebuild").code == 0
    assert hit_names(home, "bomba") == []


def test_ocr_that_is_not_there_is_a_note(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    sound = run("doctor", "--kb", home, env={"TESELA_PARSE_OCR": "off"})
    assert "ocr" not in sound.out
    found = run("doctor", "--kb", home, env={"TESELA_PARSE_OCR": "tesseract"})
    assert found.code == 0
    assert "note: ocr: tesseract is not installed: apt-get install tesseract-ocr" in found.out
