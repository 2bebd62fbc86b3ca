"""The parse stage: what counts as new, edited, gone, failed."""

import os
from pathlib import Path

import pytest

from ingest.prepare import Request
from ingest.read import read
from ingest.read_report import ReadReport
from kb.configure import load_settings
from kb.errors import UsageError
from kb.location import at
from kb.settings import Settings
from kb.store import Store
from tests.running import write

LONG_AGO = 1_700_000_000


def follow(home: Path, settings: Settings | None = None) -> ReadReport:
    location = at(home)
    location.folder.mkdir(exist_ok=True)
    chosen = settings or load_settings(environment={})
    with Store(location) as store:
        request = Request(paths=(home / "docs",))
        return read(location, store, chosen, lambda _stage, _done: None, request)


def test_added_edited_deleted_unchanged(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "a", "docs/b.md": "b", "docs/c.md": "c"})
    assert follow(tmp_path).added == ["docs/a.md", "docs/b.md", "docs/c.md"]
    write(tmp_path, {"docs/a.md": "another", "docs/d.md": "d"})
    (tmp_path / "docs" / "b.md").unlink()
    report = follow(tmp_path)
    assert (report.added, report.edited, report.deleted) == (
        ["docs/d.md"], ["docs/a.md"], ["docs/b.md"],
    )  # fmt: skip
    assert (report.unchanged, report.failed) == (1, {})


def test_a_touched_file_is_not_edited(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "a"})
    follow(tmp_path)
    os.utime(tmp_path / "docs" / "a.md", (LONG_AGO, LONG_AGO))
    report = follow(tmp_path)
    assert (report.edited, report.touched) == ([], ["docs/a.md"])


def test_an_edit_within_the_clocks_step_is_seen(tmp_path: Path) -> None:
    """Same size, same time, same inode, as on a file system with coarse times."""
    file = write(tmp_path, {"docs/a.md": "uno"}) / "docs" / "a.md"
    before = file.stat()
    follow(tmp_path)
    file.write_text("dos")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert follow(tmp_path).edited == ["docs/a.md"]


def test_settled_files_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"docs/a.md": "a", "docs/b.png": b"\x89PNG\r\n\x1a\n"})
    for file in (tmp_path / "docs").iterdir():
        os.utime(file, (LONG_AGO, LONG_AGO))
    assert list(follow(tmp_path).failed) == ["docs/b.png"]
    monkeypatch.setattr(Path, "read_bytes", lambda path: pytest.fail(f"{path} was read"))
    report = follow(tmp_path)
    assert (report.unchanged, report.failed_before, report.failed) == (1, 1, {})


def test_another_setting_of_the_parser_parses_again_and_tries_the_failed(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "a", "docs/b.pdf": b"%PDF-1.4\nbroken"})
    for file in (tmp_path / "docs").iterdir():
        os.utime(file, (LONG_AGO, LONG_AGO))
    first = load_settings(flags={"parse.pdf_engine": "pymupdf"}, environment={})
    other = load_settings(flags={"parse.pdf_engine": "pypdfium2"}, environment={})
    assert list(follow(tmp_path, first).failed) == ["docs/b.pdf"]
    assert follow(tmp_path, first).failed_before == 1
    report = follow(tmp_path, other)
    assert report.failed_before + len(report.failed) == 1
    with Store(at(tmp_path)) as store:
        keys = {row.path: row.failed_key for row in store.files()}
    follow(tmp_path, first)
    with Store(at(tmp_path)) as store:
        assert {row.path: row.failed_key for row in store.files()} != keys


def test_a_failed_file_that_changed_fails_anew(tmp_path: Path) -> None:
    write(tmp_path, {"docs/b.png": b"\x89PNG\r\n\x1a\n"})
    follow(tmp_path)
    write(tmp_path, {"docs/b.png": b"\x89PNG\r\n\x1a\n123"})
    assert list(follow(tmp_path).failed) == ["docs/b.png"]
    write(tmp_path, {"docs/b.png": "now it is text"})
    assert follow(tmp_path).added == ["docs/b.png"]


def test_a_path_that_is_not_there_adds_no_source(tmp_path: Path) -> None:
    location = at(tmp_path)
    location.folder.mkdir()
    write(tmp_path, {"a.md": "a"})
    settings = load_settings(environment={})
    with Store(location) as store:
        with pytest.raises(UsageError, match="nowhere"):
            read(
                location,
                store,
                settings,
                print,
                Request(paths=(tmp_path / "a.md", tmp_path / "nowhere")),
            )
        assert (store.sources(), store.files()) == ([], [])


def test_a_file_inside_a_source_belongs_to_it(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "a", "docs/sub/b.md": "b", "docs/subway.md": "c"})
    follow(tmp_path)
    location, settings = at(tmp_path), load_settings(environment={})
    (tmp_path / "docs" / "sub" / "b.md").unlink()
    (tmp_path / "docs" / "a.md").unlink()
    with Store(location) as store:
        report = read(
            location, store, settings, lambda *_: None, Request(paths=(tmp_path / "docs" / "sub",))
        )
        assert report.deleted == ["docs/sub/b.md"]  # not a.md, which was not looked at
        assert [row.root for row in store.sources()] == ["docs"]
        assert [row.path for row in store.files()] == ["docs/a.md", "docs/subway.md"]
