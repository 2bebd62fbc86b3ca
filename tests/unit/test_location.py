"""A KB is found like a git repository, and any path can be written and read back."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import UsageError
from kb.location import at, escape_path, find, unescape_path

names = st.binary(min_size=1, max_size=20).map(
    lambda b: os.fsdecode(b.replace(b"\0", b"0").replace(b"/", b"_"))
)


@given(names)
def test_any_file_name_is_written_in_utf8_and_read_back(name: str) -> None:
    written = escape_path(name)
    written.encode("utf-8")
    assert unescape_path(written) == name


def test_a_name_that_looks_escaped_stays_apart_from_one_that_is() -> None:
    assert escape_path("a\udcffb") == r"a\xffb"
    assert escape_path(r"a\xffb") == r"a\x5cxffb"


def test_found_by_walking_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESELA_KB", raising=False)
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / ".tesela").mkdir()
    monkeypatch.chdir(deep)
    assert find().folder == tmp_path / ".tesela"
    assert find(tmp_path).folder == tmp_path / ".tesela"
    assert find(tmp_path / ".tesela").folder == tmp_path / ".tesela"


def test_the_variable_is_weaker_than_the_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name / ".tesela").mkdir(parents=True)
    monkeypatch.setenv("TESELA_KB", str(tmp_path / "one"))
    assert find().home == tmp_path / "one"
    assert find(tmp_path / "two").home == tmp_path / "two"


def test_none_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TESELA_KB", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="tesela init"):
        find()
    with pytest.raises(UsageError, match="tesela init"):
        find(tmp_path / "nowhere")


def test_paths_are_relative_inside_and_absolute_outside(tmp_path: Path) -> None:
    location = at(tmp_path / "kb")
    assert location.written(tmp_path / "kb" / "docs" / ".." / "a.md") == "a.md"
    assert location.written(tmp_path / "kb") == "."
    assert location.written(tmp_path / "b.md") == (tmp_path / "b.md").as_posix()
    for path in (tmp_path / "kb" / "a.md", tmp_path / "b.md"):
        assert location.absolute(location.written(path)) == path
