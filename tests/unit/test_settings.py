"""Settings come from preset, file, environment and flags, in that order, and hold or are refused."""

from pathlib import Path

import pytest

from kb.configure import load_settings, preset_names, save_settings
from kb.errors import UsageError


def test_each_source_is_stronger_than_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "tesela.toml"
    assert load_settings(environment={}).chunk.size == 256
    file.write_text('preset = "fast"\n[chunk]\nsize = 300\noverlap = 10\n')
    assert load_settings(file, environment={}).embed.model == "encoder-6"
    assert load_settings(file, environment={}).chunk.size == 300
    environment = {"TESELA_CHUNK_SIZE": "400", "TESELA_KB": "elsewhere"}
    assert load_settings(file, environment=environment).chunk.size == 400
    settings = load_settings(file, {"chunk.size": 500, "query.k": None}, environment)
    assert (settings.chunk.size, settings.chunk.overlap, settings.query.k) == (500, 10, 10)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"chunk.sise": 3}, "sise"),
        ({"chunks.size": 3}, "chunks"),
        ({"chunk.size": "big"}, "chunk.size"),
        ({"chunk.size": 0}, "chunk.size"),
        ({"query.alpha": 1.5}, "query.alpha"),
        ({"engine.name": "scann"}, "exact, hnsw, annoy, faiss"),
        ({"size": 3}, "no section"),
    ],
)
def test_a_flag_that_does_not_hold_is_refused_by_name(flags: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        load_settings(flags=flags, environment={})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[chunk]\nsize = ", "tesela.toml"),
        ('preset = "best"', "default, fast"),
        ("[chunk]\nx = 1", "x"),
    ],
)
def test_a_file_that_does_not_hold_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "tesela.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=said):
        load_settings(file, environment={})


@pytest.mark.parametrize("variable", ["TESELA_CHUNK_SISE", "TESELA_SIZE"])
def test_an_unknown_variable_is_refused(variable: str) -> None:
    with pytest.raises(UsageError, match=r"(?i)sise|TESELA_SIZE"):
        load_settings(environment={variable: "3"})


def test_saving_keeps_comments_and_other_keys(tmp_path: Path) -> None:
    file = tmp_path / "tesela.toml"
    file.write_text("# mine\n[chunk]\nsize = 300 # tokens\n")
    save_settings(file, {"chunk.overlap": "10%", "engine.name": "hnsw", "preset": "fast"})
    assert "# mine" in file.read_text()
    assert "# tokens" in file.read_text()
    settings = load_settings(file, environment={})
    assert (settings.chunk.size, settings.chunk.overlap) == (300, "10%")
    assert (settings.engine.name, settings.embed.model) == ("hnsw", "encoder-6")


def test_every_preset_loads(tmp_path: Path) -> None:
    for name in preset_names():
        file = tmp_path / "tesela.toml"
        file.write_text(f'preset = "{name}"')
        load_settings(file, environment={})
