"""A change of model: the old one answers until the new one does."""

import threading
from pathlib import Path
from typing import Any

import pytest

import index.builder
from index.reader import GenerationReader
from kb import pending
from kb.location import at
from tests.faults import Nursery, load_fake
from tests.running import hit_names, make_kb, run, write

FILES = {f"f{i:02}.md": f"# Fichero {i}\n\nLa bomba número {i} gira.\n" for i in range(70)}


@pytest.fixture(autouse=True)
def cheap_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.models.load.load_embedder", load_fake)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = make_kb(tmp_path / "kb", FILES)
    assert run("index", "--model", "encoder-12", "--kb", made).code == 0
    assert run("gc", "--caches", "--kb", made).code == 0
    return made


def model(home: Path) -> str:
    return GenerationReader.open(at(home)).manifest.embedder


def test_reindex_changes_model_and_settings_together(home: Path) -> None:
    done = run("reindex", "--model", "encoder-6", "--kb", home)
    assert done.code == 0, done.err
    assert 'kept in tesela.toml: embed.model = "encoder-6"' in done.err
    assert ", 70 embedded, " in done.err
    assert model(home) == "fake/encoder-6"
    assert hit_names(home, "bomba número 7", "-k", 1) == ["f07.md"]
    assert ", 0 embedded, " in run("sync", "--kb", home).err
    back = run("reindex", "--model", "encoder-12", "--kb", home)
    assert ", 0 embedded, " in back.err  # what the first model made is still there


def test_questions_during_a_reindex_are_answered_by_the_old_model(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[Any] = []
    real = index.builder.write_vectors

    def asked_meanwhile(*args: Any) -> None:
        # in a thread, as another process would: it does not share the writer's lock
        thread = threading.Thread(target=lambda: answers.append(hit_names(home, "bomba", "-k", 1)))
        thread.start()
        thread.join()
        answers.append(model(home))
        real(*args)

    monkeypatch.setattr(index.builder, "write_vectors", asked_meanwhile)
    assert run("reindex", "--model", "encoder-6", "--kb", home).code == 0
    assert answers[1:] == ["fake/encoder-12"]
    assert len(answers[0]) == 1
    assert model(home) == "fake/encoder-6"


def test_a_question_that_began_before_the_publish_ends_well(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = GenerationReader.open.__func__  # type: ignore[attr-defined]
    left = 1

    def after_a_reindex(cls: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            monkeypatch.setattr(GenerationReader, "open", classmethod(real))
            with Nursery() as nursery:
                assert nursery.writer("reindex", "--model", "encoder-6", "--kb", home)[0] == 0
        return real(cls, *args, **kwargs)

    monkeypatch.setattr(GenerationReader, "open", classmethod(after_a_reindex))
    assert hit_names(home, "bomba número 7", "-k", 1) == ["f07.md"]
    assert left == 0


def test_an_interrupted_reindex_loses_no_embedding(home: Path) -> None:
    with Nursery() as nursery:
        status, crossings, _ = nursery.writer("status", "--kb", home)
        assert (status, crossings) == (0, 0)
        # dies in the second batch of embeddings, of which the first, 64, was committed
        for at_boundary in range(8, 40):
            nursery.writer("reindex", "--model", "encoder-6", "--kb", home, kill_at=at_boundary)
            assert hit_names(home, "bomba número 7", "-k", 1) == ["f07.md"]
            assert run("sync", "--kb", home).code == 0
            done = run("reindex", "--model", "encoder-6", "--kb", home)
            embedded = int(done.err.split(" documents, ")[1].split()[0])
            if 0 < embedded < 70:
                assert embedded == 6
                return
            assert run("reindex", "--model", "encoder-12", "--kb", home).code == 0
            assert run("gc", "--caches", "--kb", home).code == 0
    pytest.fail("no kill fell between two batches")


@pytest.mark.parametrize("how", ["toml", "set", "env"])
def test_another_model_than_the_indexs_is_refused(home: Path, how: str) -> None:
    line: list[object] = ["query", "bomba", "--kb", home]
    env = {}
    if how == "toml":
        (home / ".tesela" / "tesela.toml").write_text('[embed]\nmodel = "encoder-6"\n')
    elif how == "set":
        line += ["--set", "embed.model=encoder-6"]
    else:
        env = {"TESELA_EMBED_MODEL": "encoder-6"}
    done = run(*line, env=env)
    assert done.code == 6
    for words in ("fake/encoder-12", "fake/encoder-6", "64-d", "--set embed.model=encoder-12"):
        assert words in done.err
    assert run(*line, "--mode", "sparse", "--rerank", "none", env=env).code == 0


def test_an_old_generation_of_another_model_is_refused_and_can_be_asked(home: Path) -> None:
    number = GenerationReader.open(at(home)).manifest.number
    assert run("reindex", "--model", "encoder-6", "--kb", home).code == 0
    line = ("query", "bomba número 7", "--generation", number, "-k", 1, "--kb", home)
    done = run(*line)
    assert done.code == 6
    assert "fake/encoder-12" in done.err
    assert "fake/encoder-6" in done.err
    assert run(*line, "--set", "embed.model=encoder-12").code == 0


def test_reindex_needs_a_model(home: Path) -> None:
    assert run("reindex", "--kb", home).code == 2
    assert run("reindex", "--embedder", "nope", "--kb", home).code == 2


def test_what_set_says_of_the_model_is_kept(home: Path) -> None:
    done = run("reindex", "--set", "embed.threads=1", "--set", "query.k=3", "--kb", home)
    assert done.code == 0, done.err
    kept = (home / ".tesela" / "tesela.toml").read_text()
    assert "threads = 1" in kept
    assert "k = 3" not in kept


def test_a_folder_is_kept_absolute_and_the_bundled_model_by_its_default() -> None:
    from cli.indexing import model_flags

    assert model_flags("onnx", "m", "bundled")["embed.model"] == str(Path("m").resolve())
    assert model_flags(None, "m", "onnx")["embed.model"] == str(Path("m").resolve())
    assert model_flags("openai", "m", "onnx")["embed.model"] == "m"
    assert model_flags("bundled", None, "onnx")["embed.model"] == "encoder-12"
    assert model_flags("bundled", None, "bundled")["embed.model"] is None


def test_announced_settings_wait_for_their_generation(home: Path) -> None:
    location = at(home)
    fingerprint = GenerationReader.open(location).manifest.fingerprint
    pending.announce(location, "another", {"query.k": 3})
    assert pending.in_force(location) == {}
    pending.settle(location)
    assert not location.pending.exists()
    pending.announce(location, fingerprint, {"query.k": 3})
    assert pending.in_force(location) == {"query.k": 3}
    assert "k = 3" in run("config", "show", "--kb", home).out
    write(location.folder, {"pending.json": b"\xff"})
    assert pending.in_force(location) == {}
