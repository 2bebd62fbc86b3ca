"""``tesela source``: what is followed, and which source a file belongs to."""

from pathlib import Path
from typing import Any

import pytest

from tests.running import Ran, hit_names, run, write


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write(tmp_path, {
        "docs/a.md": "hola a", "docs/b.txt": "hola b", "docs/drafts/c.md": "hola c",
        "docs/inner/d.md": "hola d", "docs/inner/e.txt": "hola e", "notes/f.md": "hola f",
    })  # fmt: skip
    assert run("init", tmp_path, "--preset", "fast").code == 0
    return tmp_path


def source(home: Path, *args: object) -> Ran:
    return run("source", *args, "--kb", home, cwd=home)


def listed(home: Path) -> list[Any]:
    found: list[Any] = source(home, "list", "--format", "json").json
    return found


def indexed(home: Path) -> list[str]:
    return sorted(hit_names(home, "hola", "-k", "50"))


def test_globs_and_tags(home: Path) -> None:
    done = source(home, "add", "docs", "--include", "*.md", "--exclude", "drafts/", "--tag", "manual",
                  "--tag", "es", "--tag", "es")  # fmt: skip
    said = "followed: docs (include *.md) (exclude drafts/) (tags manual, es); next: tesela sync\n"
    assert (done.code, done.out, done.err) == (0, "", said)
    assert run("sync", "--kb", home).code == 0
    assert indexed(home) == ["a.md", "d.md"]
    assert listed(home) == [{
        "root": "docs", "include": ["*.md"], "exclude": ["drafts/"], "tags": ["manual", "es"],
        "documents": 2,
    }]  # fmt: skip
    assert source(home, "list").out == (
        "docs (include *.md) (exclude drafts/) (tags manual, es): 2 documents\n"
    )


def test_adding_twice(home: Path) -> None:
    source(home, "add", "docs", "--include", "*.md")
    assert source(home, "add", "docs").err == "already followed: docs (include *.md)\n"
    assert source(home, "add", "./docs/", "--include", "*.md").err.startswith("already followed")
    assert source(home, "add", "docs", "--include", "*.txt").err.startswith("changed: docs (incl")
    assert listed(home)[0]["include"] == ["*.txt"]
    run("sync", "--kb", home)
    assert indexed(home) == ["b.txt", "e.txt"]


def test_a_file_belongs_to_the_innermost_source(home: Path) -> None:
    source(home, "add", "docs")
    run("sync", "--kb", home)
    done = source(home, "add", "docs/inner", "--include", "*.md", "--tag", "in")
    assert done.err.startswith("docs/inner keeps its own files and rules\n")
    report = run("sync", "--kb", home)
    assert report.err.startswith("1 deleted, 4 unchanged")
    assert indexed(home) == ["a.md", "b.txt", "c.md", "d.md"]
    assert {row["root"]: row["documents"] for row in listed(home)} == {"docs": 3, "docs/inner": 1}
    assert run("sync", "docs", "--kb", home, cwd=home).err.startswith("4 unchanged")
    source(home, "remove", "docs/inner")  # its files fall to the source around it
    assert run("sync", "--kb", home).err.startswith("1 added, 4 unchanged; ")
    assert {row["root"]: row["documents"] for row in listed(home)} == {"docs": 5}


def test_a_source_around_others(home: Path) -> None:
    source(home, "add", "docs/inner", "--tag", "in")
    run("sync", "--kb", home)
    assert run("sync", "docs", "--kb", home, cwd=home).err.startswith("3 added, 2 unchanged")
    assert {row["root"]: row["documents"] for row in listed(home)} == {"docs": 3, "docs/inner": 2}
    assert source(home, "add", ".").code == 0
    assert run("sync", "--kb", home).err.startswith("1 added, 5 unchanged")


def test_what_is_removed_leaves_with_the_next_sync(home: Path) -> None:
    for folder in ("docs", "notes"):
        source(home, "add", folder)
    run("sync", "--kb", home)
    done = source(home, "remove", "docs")
    assert done.err == "no longer followed: docs; its 5 documents leave with the next sync\n"
    assert len(indexed(home)) == 6
    assert run("sync", "notes", "--kb", home, cwd=home).err.startswith("5 deleted, 1 unchanged")
    source(home, "remove", "notes")
    assert run("sync", "--kb", home).err.startswith("1 deleted; 0 chunks")
    assert run("sync", "--kb", home).err == "nothing is followed yet: tesela sync PATH\n"
    refused = source(home, "remove", "docs")
    assert (refused.code, refused.err) == (2, "tesela: docs is no source; there are: none\n")


def test_a_file_may_be_a_source(home: Path) -> None:
    source(home, "add", "docs/a.md")
    run("sync", "--kb", home)
    assert indexed(home) == ["a.md"]


def test_a_source_that_cannot_be(home: Path) -> None:
    source(home, "add", "docs")
    for args, said in (
        (("nowhere",), "does not exist"), ((".tesela",), "part of a knowledge base"),
        (("notes", "--include", "!x"), "no glob"), (("notes", "--tag", " "), "--tag"),
    ):  # fmt: skip
        done = source(home, "add", *args)
        assert done.code == 2
        assert said in done.err
    assert [row["root"] for row in listed(home)] == ["docs"]


def test_listing_makes_nothing(home: Path) -> None:
    done = source(home, "list")
    assert (done.out, done.err) == ("", "nothing is followed yet: tesela source add DIR\n")
    assert [p.name for p in (home / ".tesela").iterdir()] == ["tesela.toml"]


def test_an_ignored_file_leaves_with_the_next_sync(home: Path) -> None:
    source(home, "add", "docs")
    run("sync", "--kb", home)
    write(home, {"docs/.gitignore": "*.txt\ninner/\n", "docs/.teselaignore": "!inner/d.md\n"})
    assert run("sync", "--kb", home).err.startswith("3 deleted, 2 unchanged")
    write(home, {"docs/.teselaignore": "!inner/\n"})
    assert run("sync", "--kb", home).err.startswith("2 added, 2 unchanged")
    assert indexed(home) == ["a.md", "c.md", "d.md", "e.txt"]


def test_a_source_by_another_name_is_the_same(home: Path) -> None:
    (home / "link").symlink_to("docs")
    source(home, "add", "docs")
    assert source(home, "add", "link").err == "already followed: docs\n"
    assert run("sync", "link", "--kb", home, cwd=home).err.startswith("5 added; ")
    assert run("sync", "link/inner", "--kb", home, cwd=home).err.startswith("2 unchanged; ")
    assert source(home, "add", "link/inner").err.startswith("docs/inner keeps its own files")
    assert [row["root"] for row in listed(home)] == ["docs", "docs/inner"]


def test_what_an_outer_source_takes_over_is_not_said_to_leave(home: Path) -> None:
    for folder in ("docs", "docs/inner"):
        source(home, "add", folder)
    run("sync", "--kb", home)
    told = source(home, "remove", "docs/inner").err
    assert told == (
        "no longer followed: docs/inner; "
        "with the next sync the rules of docs decide on its 2 documents\n"
    )
    assert run("sync", "--kb", home).err.startswith("5 unchanged")
