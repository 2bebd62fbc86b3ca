"""However a knowledge base came to its state, it is the one that a fresh build would make."""

import os
import random
from pathlib import Path

import numpy as np
import pytest

from index.reader import GenerationReader
from kb.configure import load_settings
from kb.location import Location, at
from kb.store import Store
from tests.fake_embedder import FLAGS, FakeEmbedder, synced
from tests.running import make_kb, run, snapshot, write

SOME = "bomba turbina pozo agua grasa pump grease canal señal código valve año E-217"
WORDS = SOME.split()
QUESTIONS = ("bomba agua", "grease the pump", "E-217", "señal")


def state(location: Location) -> dict[str, tuple[bytes, ...]]:
    """Everything a question can see: each component's bytes, the manifest's number aside."""
    reader = GenerationReader.open(location)
    found: dict[str, tuple[bytes, ...]] = {
        name: (reader.folder.joinpath(name).read_bytes(),) for name in reader.manifest.files
    }
    for question in QUESTIONS:
        words = reader.bm25.words(question)
        found[f"bm25 {question}"] = (reader.bm25.scores(words).tobytes(),)
        vector = FakeEmbedder().embed([question], "query")
        rows, scores = reader.engine.search(vector, max(len(reader), 1))
        found[f"dense {question}"] = (rows.tobytes(), scores.tobytes())
    return found


def text(chance: random.Random) -> str:
    parts = []
    for _ in range(chance.randint(0, 5)):
        words = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 30)))
        parts.append(chance.choice(["# ", "## ", "", ""]) + words)
    return "\n\n".join(parts) + chance.choice(["", "\n"])


def change(docs: Path, bin_: dict[str, str], chance: random.Random) -> None:
    """One thing that happens to files."""
    files = sorted(p for p in docs.rglob("*.md"))
    name = f"{chance.choice(['', 'sub/'])}f{chance.randint(0, 9)}.md"
    kind = chance.choice(["add", "add", "edit", "edit", "delete", "rename", "back", "copy"])
    if kind == "add" or not files:
        write(docs, {name: text(chance)})
        return
    file = chance.choice(files)
    if kind == "edit":
        lines = file.read_text().splitlines() or [""]
        lines[chance.randrange(len(lines))] = chance.choice(["", "pozo nuevo", text(chance)])
        file.write_text("\n".join(lines))
    elif kind == "delete":
        bin_[file.relative_to(docs).as_posix()] = file.read_text()
        file.unlink()
    elif kind == "rename":
        (docs / name).parent.mkdir(exist_ok=True)
        file.rename(docs / name)
    elif kind == "copy":
        write(docs, {name: file.read_bytes()})
    elif bin_:
        write(docs, dict([chance.choice(sorted(bin_.items()))]))


@pytest.mark.parametrize("seed", range(4))
def test_any_history_ends_where_a_fresh_build_does(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    home, bin_ = tmp_path / "kb", {}
    write(home / "docs", {"start.md": "# bomba\n\nagua"})
    embedder = FakeEmbedder()
    synced(home, embedder)
    for step in range(6):
        for _ in range(chance.randint(0, 4)):
            change(home / "docs", bin_, chance)
        location, report = synced(home, embedder)
        fresh_home = tmp_path / f"fresh{step}"
        for file in (home / "docs").rglob("*.md"):
            write(
                fresh_home / "docs", {file.relative_to(home / "docs").as_posix(): file.read_bytes()}
            )
        (fresh_home / "docs").mkdir(parents=True, exist_ok=True)
        fresh, fresh_report = synced(fresh_home, FakeEmbedder())
        assert state(location) == state(fresh), f"seed {seed}, step {step}"
        assert report.build.chunks == fresh_report.build.chunks
        with Store(location) as store:
            assert store.collect() == 0, "results were left that no file needs"
    assert len(embedder.embedded) == len(set(embedder.embedded)), "something was embedded twice"


def test_any_way_to_settings_ends_where_a_fresh_build_does(tmp_path: Path) -> None:
    chance = random.Random(7)
    files = {f"f{i}.md": text(chance) for i in range(12)}
    home, embedder = (
        write(tmp_path / "kb", {f"docs/{n}": t for n, t in files.items()}),
        FakeEmbedder(),
    )
    ways: list[dict[str, object]] = [
        {"chunk.size": 16}, {"chunk.size": 16, "context.provider": "none"},
        {"chunk.strategy": "fixed", "chunk.size": 16}, {"bm25.stem": False},
        {"engine.name": "hnsw"}, {"engine.name": "annoy"}, {"engine.name": "faiss"},
        {"token_vectors.store": False}, {},
    ]  # fmt: skip
    for number, way in enumerate(ways):
        settings = load_settings(flags={**FLAGS, **way}, environment={})
        location, _ = synced(home, embedder, settings)
        fresh_home = write(tmp_path / f"n{number}", {f"docs/{n}": t for n, t in files.items()})
        fresh, _ = synced(fresh_home, FakeEmbedder(), settings)
        assert state(location) == state(fresh), way


def test_two_folders_give_the_same_generation(tmp_path: Path) -> None:
    chance = random.Random(11)
    files = {f"{i}/f{i}.md": text(chance) for i in range(15)}
    folders = []
    for name in ("one", "another/far/away"):
        order = sorted(files)
        chance.shuffle(order)
        home = tmp_path / name
        for file in order:
            write(home / "docs", {file: files[file]})
        location, _ = synced(home, FakeEmbedder())
        folders.append({k: v[1] for k, v in snapshot(location.generations).items()})
    assert folders[0] == folders[1]
    assert "0001/manifest.json" in folders[0]


def test_the_real_model_too(tmp_path: Path) -> None:
    files = {f"f{i}.md": f"# Parte {i}\n\nTexto número {i} de la bomba." for i in range(6)}
    home = make_kb(tmp_path / "kb", {**files, "f9.md": "otra cosa"})
    (home / "docs" / "f9.md").unlink()
    (home / "docs" / "f1.md").rename(home / "docs" / "f7.md")
    write(home / "docs", {"f2.md": "La válvula cierra el pozo."})
    assert run("sync", "--kb", home).code == 0
    left = {p.name: p.read_bytes() for p in (home / "docs").iterdir()}
    fresh = make_kb(tmp_path / "fresh", left)
    ours, theirs = (GenerationReader.open(at(h)) for h in (home, fresh))
    assert list(ours.chunks) == list(theirs.chunks)
    assert np.array_equal(ours.vectors, theirs.vectors)
    assert ours.manifest.files == theirs.manifest.files


def test_05_one_file_deleted_and_added_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole folder stays as large as it was, the store and the cache of vectors among it."""
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)  # 100 generations, none to keep
    files = {f"docs/f{i}.md": f"# Parte {i}\n\nLa bomba número {i}." for i in range(5)}
    home, embedder = write(tmp_path, files), FakeEmbedder()
    file = home / "docs" / "f3.md"

    def sizes() -> dict[str, int]:
        file.unlink()
        synced(home, embedder)
        write(home, {"docs/f3.md": files["docs/f3.md"]})
        location, _ = synced(home, embedder)
        return {
            path.relative_to(location.folder).as_posix(): path.stat().st_size
            for path in (location.store, location.vector_cache)
        } | {
            f"generation {rank}": sum(p.stat().st_size for p in folder.rglob("*"))
            for rank, folder in enumerate(sorted(location.generations.iterdir()))
        }

    synced(home, embedder)
    for _ in range(3):
        early = sizes()
    for _ in range(37):
        late = sizes()
    assert late.keys() == early.keys()
    assert late == pytest.approx(early, abs=4)  # the number in the manifest has more digits
    assert len(embedder.embedded) == 5
