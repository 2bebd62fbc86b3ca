"""Ignore files and globs, each case as git has it, and where ours go further."""

import os
import subprocess
from pathlib import Path

import pytest

from ingest.scan import Skipped, scan
from kb.errors import UsageError
from kb.location import at
from kb.settings import ScanSettings
from kb.store import SourceRow
from tests.running import write


def taken(root: Path, start: str = "", others: tuple[str, ...] = (), **globs: object) -> list[str]:
    row = SourceRow(".", **globs)  # type: ignore[arg-type]
    entries = scan(
        root, at(root), ScanSettings(), row, root / start, tuple(root / other for other in others)
    )
    assert not any(isinstance(entry, Skipped) for entry in entries)
    return [entry.path for entry in entries]


def test_the_last_line_of_the_deepest_file_decides(tmp_path: Path) -> None:
    write(tmp_path, {
        ".gitignore": "*.log\n/top.md\nbuild/\n!keep.log\n# *.md\n",
        "top.md": "", "a.log": "", "keep.log": "", "sub/top.md": "", "build/x.md": "",
        "build/keep.log": "",  # git, too, looks at nothing below an ignored folder
        "deep/.gitignore": "!a.log\nkeep.log\n", "deep/a.log": "", "deep/keep.log": "",
    })  # fmt: skip
    assert taken(tmp_path) == ["deep/a.log", "keep.log", "sub/top.md"]


def test_teselaignore_is_the_stronger_in_both_directions(tmp_path: Path) -> None:
    write(tmp_path, {
        ".gitignore": "private/\n*.tmp\n", "private/a.md": "", "b.tmp": "", "c.md": "",
        ".teselaignore": "!private/\n!b.tmp\nc.md\n", "d.tmp": "",
        "sub/.gitignore": "!c.md\n", "sub/c.md": "",
    })  # fmt: skip
    assert taken(tmp_path) == ["b.tmp", "private/a.md"]


def test_lines_that_are_no_pattern_say_nothing(tmp_path: Path) -> None:
    write(
        tmp_path,
        {".gitignore": b"!\n\xef\xbb\xbf\n\\\n[\n*.log\n\xff.md\n", "a.md": "", "b.log": ""},
    )
    (tmp_path / os.fsdecode(b"\xff.md")).write_text("")
    assert taken(tmp_path) == ["a.md"]


def test_an_ignore_file_that_cannot_be_read_closes_its_folder(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", "sub/b.md": ""})
    (tmp_path / "sub" / ".gitignore").mkdir()  # as good as no permission, for root, too
    one, skipped = scan(tmp_path, at(tmp_path), ScanSettings())
    assert (one.path, skipped.path) == ("a.md", "sub")
    assert isinstance(skipped, Skipped)
    assert skipped.closed_folder
    assert skipped.reason == ".gitignore: Is a directory"


def test_globs_of_a_source(tmp_path: Path) -> None:
    write(tmp_path, {
        "a.md": "", "b.txt": "", "c.html": "", "drafts/d.md": "", "x/drafts/e.md": "", "x/f.md": "",
    })  # fmt: skip
    assert taken(tmp_path, include=("*.md", "*.txt")) == [
        "a.md", "b.txt", "drafts/d.md", "x/drafts/e.md", "x/f.md",
    ]  # fmt: skip
    assert taken(tmp_path, include=("x/",)) == ["x/drafts/e.md", "x/f.md"]
    assert taken(tmp_path, include=("*.md",), exclude=("drafts/", "/a.md")) == ["x/f.md"]
    assert taken(tmp_path, exclude=("x/**/e.md", "*.txt")) == [
        "a.md", "c.html", "drafts/d.md", "x/f.md",
    ]  # fmt: skip


@pytest.mark.parametrize("glob", ["", "  ", "!", "!*.md", "#x", "\\"])
def test_globs_that_are_none(tmp_path: Path, glob: str) -> None:
    with pytest.raises(UsageError, match="no glob"):
        taken(tmp_path, include=(glob,))


def test_special_files_that_are_ignored_are_not_reported(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "*.sock\n", "a.md": ""})
    os.mkfifo(tmp_path / "x.sock")
    (tmp_path / "y.sock").symlink_to("nowhere")
    assert taken(tmp_path) == ["a.md"]


def test_a_part_of_a_source_obeys_the_rules_above_it(tmp_path: Path) -> None:
    write(tmp_path, {
        ".gitignore": "*.log\nout/\n", "sub/a.md": "", "sub/b.log": "", "sub2/c.md": "", "out/d.md": "",
    })  # fmt: skip
    assert taken(tmp_path, "sub") == ["sub/a.md"]
    assert taken(tmp_path, "sub/a.md") == ["sub/a.md"]
    assert taken(tmp_path, "out") == []
    assert taken(tmp_path, "sub/b.log") == []


def test_files_of_a_nested_source_are_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", "sub/b.md": "", "sub/deep/c.md": "", "single.md": ""})
    assert taken(tmp_path, others=("sub", "single.md")) == ["a.md"]


def test_a_thousand_folders_deep(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        for _ in range(1050):
            os.mkdir("d", dir_fd=here)
            deeper = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = deeper
        os.close(os.open("a.md", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    finally:
        os.close(here)
    try:
        assert taken(tmp_path) == ["d/" * 1050 + "a.md"]
    finally:
        subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)  # Python's own recurses
