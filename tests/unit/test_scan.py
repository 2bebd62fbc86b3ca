"""Which files a source holds."""

import os
from pathlib import Path

import pytest

from ingest.scan import Skipped, scan
from kb.location import at
from kb.records import SourceFile
from kb.settings import ScanSettings
from tests.running import write


def found(root: Path, **settings: object) -> list[str]:
    made = ScanSettings(**settings)  # type: ignore[arg-type]
    return [
        entry.path if isinstance(entry, SourceFile) else f"{entry.path}: {entry.reason}"
        for entry in scan(root, at(root), made)
    ]


def test_sorted_by_path_with_size_time_and_inode(tmp_path: Path) -> None:
    write(tmp_path, {"b.md": "bb", "a/z.md": "z", "a.md": "a"})
    entries = list(scan(tmp_path, at(tmp_path), ScanSettings()))
    assert [entry.path for entry in entries] == ["a/z.md", "a.md", "b.md"]
    last = entries[-1]
    status = (tmp_path / "b.md").stat()
    assert last == SourceFile(
        "b.md", str(tmp_path / "b.md"), 2, status.st_mtime_ns, status.st_ino, "."
    )


def test_hidden_files_only_where_asked_and_the_kb_never(tmp_path: Path) -> None:
    write(
        tmp_path, {"a.md": "", ".b.md": "", ".git/c.md": "", ".tesela/d.md": "", "x/.tesela/e": ""}
    )
    write(tmp_path, {"~$a.docx": b"\x03Ana"})
    assert found(tmp_path) == ["a.md"]
    (tmp_path / "~$a.docx").unlink()
    assert found(tmp_path, hidden=True) == [".b.md", ".git/c.md", "a.md"]


@pytest.mark.parametrize("inside", [".tesela", ".tesela/store.sqlite"])
def test_a_source_inside_a_kb_is_refused(tmp_path: Path, inside: str) -> None:
    write(tmp_path, {".tesela/store.sqlite": "x"})
    (skipped,) = scan(tmp_path / inside, at(tmp_path), ScanSettings(hidden=True))
    assert skipped == Skipped(inside, "part of a knowledge base")


def test_a_single_file_and_a_missing_one(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "a"})
    (one,) = scan(tmp_path / "a.md", at(tmp_path), ScanSettings())
    assert one.path == "a.md"
    (gone,) = scan(tmp_path / "b.md", at(tmp_path), ScanSettings())
    assert gone == Skipped("b.md", "No such file or directory", unread=True, source="b.md")


def test_too_large(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "abc", "b.md": "abcd"})
    assert found(tmp_path, max_file_bytes=3) == [
        "a.md",
        "b.md: 4 bytes, over scan.max_file_bytes = 3",
    ]


def test_special_files_are_named_and_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "itself").symlink_to("itself")
    assert found(tmp_path) == [
        "dangling: dangling link",
        "itself: dangling link",
        "pipe: not a regular file",
    ]


def test_links(tmp_path: Path) -> None:
    write(tmp_path / "out", {"o.md": "", "deep/p.md": ""})
    root = write(tmp_path / "root", {"a.md": "", "d/b.md": ""})
    for link, target in {
        "d/up": "..", "in.md": "a.md", "out": tmp_path / "out", "out2": tmp_path / "out",
        "file.md": tmp_path / "out" / "o.md",
    }.items():  # fmt: skip
        (root / link).symlink_to(target)
    (tmp_path / "out" / "back").symlink_to(root)
    assert found(root) == ["a.md", "d/b.md"]
    assert found(root, follow_links=True) == [
        "a.md",
        "d/b.md",
        "file.md",  # which is out/o.md, too
        "out/deep/p.md",
    ]


def test_the_root_may_be_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real", {"a.md": ""})
    (tmp_path / "link").symlink_to("real")
    (entry,) = scan(tmp_path / "link", at(tmp_path), ScanSettings())
    assert entry.path == "link/a.md"
