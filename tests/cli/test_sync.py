"""``tesela sync``: its flags, its last line, what it writes and what it does not."""

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from kb.location import at
from kb.lock import writer_lock
from tests.running import Ran, hit_names, make_kb, run, spawn, write

KEYS = [
    "added", "edited", "deleted", "renamed", "moved", "copied", "touched", "unchanged", "failed",
    "chunks", "embedded", "llm_calls", "seconds", "generation", "published",
    "contexts_failed", "contexts_pending", "derived", "derived_failed", "derived_pending",
]  # fmt: skip
SOME = {f"{n}.md": f"# {n}\n\nLa bomba {n} gira." for n in ("a", "b", "c")}


def tree(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything that a write could change, folders' times among it."""
    found: dict[str, tuple[object, ...]] = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        status = path.stat()
        data = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path)] = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, data)
    return found


def age(folder: Path) -> None:
    """As if the files had lain there for a while; a fresh one is hashed once more."""
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (1_700_000_000, 1_700_000_000))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("made")
    write(home / "docs", SOME)
    age(home / "docs")
    return make_kb(home, {})


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    home = Path(shutil.copytree(made, tmp_path / "kb", symlinks=True))
    assert run("sync", "--kb", home).err.startswith("3 touched; ")  # each file has a new inode
    return home


def sync(home: Path, *args: object) -> Ran:
    return run("sync", "--kb", home, *args)


def planned(home: Path, *args: object) -> Any:
    before = tree(home)
    done = sync(home, "--dry-run", "--format", "json", *args)
    assert (done.code, done.err) == (0, "")
    assert tree(home) == before
    return done.json


def reported(home: Path, *args: object) -> dict[str, Any]:
    file = home.parent / "report.json"
    done = sync(home, "--report", file, *args)
    assert done.code in (0, 3), done.err
    found: dict[str, Any] = json.loads(file.read_text())
    assert list(found) == KEYS
    return found


@pytest.mark.parametrize("fresh", [False, True])
def test_a_run_with_nothing_to_do_writes_no_byte(home: Path, fresh: bool) -> None:
    """Also where the files are so fresh that they are hashed again each time."""
    if fresh:
        for file in (home / "docs").iterdir():
            file.write_bytes(file.read_bytes())
        sync(home)
    before = tree(home / ".tesela")
    for args in ((), ("--verify",), ("--retry",), (home / "docs",), ("--quiet",), ("--dry-run",)):
        done = sync(home, *args)
        assert (done.code, done.err.count("\n")) == (
            0,
            0 if args[:1] in (("--quiet",), ("--dry-run",)) else 1,
        )
        assert tree(home / ".tesela") == before, args


def test_every_kind_of_change_is_told_and_nothing_is_embedded_twice(home: Path) -> None:
    docs = home / "docs"
    write(
        docs, {"d.txt": "plano uno", "e.txt": "plano dos", "f.txt": "plano tres", "g.md": "siete"}
    )
    assert reported(home)["embedded"] == 4
    (docs / "d.txt").rename(docs / "dd.txt")
    write(docs, {"sub/x": ""}).joinpath("sub/x").unlink()
    (docs / "e.txt").rename(docs / "sub" / "e.txt")
    shutil.copy(docs / "f.txt", docs / "ff.txt")
    (docs / "g.md").write_text("# ocho")
    (docs / "a.md").unlink()
    os.utime(docs / "b.md", (1_600_000_000, 1_600_000_000))
    write(docs, {"h.md": "nuevo del todo"})
    plan = planned(home)
    assert plan["files"] == {
        "added": ["docs/h.md"], "edited": ["docs/g.md"], "deleted": ["docs/a.md"],
        "renamed": [{"from": "docs/d.txt", "to": "docs/dd.txt"}],
        "moved": [{"from": "docs/e.txt", "to": "docs/sub/e.txt"}],
        "copied": [{"from": "docs/f.txt", "to": "docs/ff.txt"}],
        "touched": ["docs/b.md"], "again": [], "failed": [],
    }  # fmt: skip
    assert (plan["chunks_to_embed"], plan["exact"], plan["llm_calls"]) == (2, True, 0)
    assert plan["guard"] == []
    found = reported(home)
    assert {key: found[key] for key in KEYS[:12]} == {
        "added": 1, "edited": 1, "deleted": 1, "renamed": 1, "moved": 1, "copied": 1, "touched": 1,
        "unchanged": 2, "failed": 0, "chunks": 8, "embedded": 2, "llm_calls": 0,
    }  # fmt: skip
    assert (found["generation"], found["published"]) == (3, True)
    assert found["seconds"] > 0


def test_a_dry_run_foretells_what_is_embedded(home: Path) -> None:
    long = "\n\n".join(f"# Parte {i}\n\nTexto {i} de la bomba." for i in range(40))
    write(home / "docs", {"long.md": long, "bad.zip": b"PK\x03\x04" + b"\0" * 40})
    plan = planned(home, "--set", "chunk.size=16")  # which cuts what is known anew, too
    assert plan["files"]["failed"] == [
        {"path": "docs/bad.zip", "reason": "zip archive: unpack it; archives are not opened"}
    ]
    assert plan["chunks_to_embed"] >= 40
    assert reported(home, "--set", "chunk.size=16")["embedded"] == plan["chunks_to_embed"]
    assert planned(home, "--set", "chunk.size=16")["chunks_to_embed"] == 0
    text = sync(home, "--dry-run", "--set", "chunk.size=24").out.splitlines()
    assert text[0].startswith("4 unchanged, 1 failed before; ")
    assert text[0].endswith("chunks to embed, 0 LLM calls")


def test_a_dry_run_of_the_first_sync_makes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "docs", SOME)
    run("init", tmp_path, "--preset", "fast")
    plan = planned(tmp_path, tmp_path / "docs")
    assert (plan["counts"]["added"], plan["chunks_to_embed"]) == (3, 3)
    assert plan["new_sources"] == ["docs"]
    assert [p.name for p in (tmp_path / ".tesela").iterdir()] == ["tesela.toml"]


def test_a_dry_run_after_a_killed_writer_leaves_its_journal(home: Path) -> None:
    (home / ".tesela" / "store.sqlite-wal").write_bytes(b"")
    assert planned(home)["counts"]["unchanged"] == 3


def test_a_semantic_dry_run_says_that_it_guesses(home: Path) -> None:
    plan = planned(home, "--set", "chunk.strategy=semantic")
    assert plan["exact"] is False
    assert sync(home, "--dry-run", "--set", "chunk.strategy=semantic").out.count("; about ") == 1


def test_verify_finds_what_size_and_time_hide(home: Path) -> None:
    file = home / "docs" / "a.md"
    status = file.stat()
    file.write_text(SOME["a.md"].replace("gira", "para"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert reported(home)["edited"] == 0
    assert planned(home, "--verify")["files"]["edited"] == ["docs/a.md"]
    assert reported(home, "--verify")["edited"] == 1


def many(home: Path, number: int) -> list[Path]:
    write(home / "docs", {f"n{i:03}.md": "# n\n\nigual" for i in range(number)})
    assert sync(home).code == 0
    return sorted((home / "docs").glob("n*.md"))


def stopped(home: Path, *args: object) -> str:
    before = tree(home)
    done = sync(home, *args)
    assert done.code == 1
    assert "--force-delete" in done.err
    assert "--max-delete" in done.err
    assert tree(home) == before
    return done.err


def test_the_guard_stops_before_much_is_forgotten(home: Path) -> None:
    files = many(home, 20)  # and 3 others: a fifth is 4.6
    for file in files[:10]:
        file.unlink()
    assert planned(home)["guard"] == []  # ten are few, whatever their share
    files[10].unlink()
    assert "11 of the 23 documents of docs are gone, more than --max-delete 20%" in stopped(home)
    (said,) = planned(home)["guard"]
    assert "11 of the 23" in said
    assert "would stop: 11 of the 23" in sync(home, "--dry-run").out
    assert stopped(home, "--max-delete", 10)
    assert stopped(home, "--set", "sync.max_delete=47%")
    assert planned(home, "--max-delete", "50%")["guard"] == []
    assert planned(home, "--force-delete")["guard"] == []
    assert reported(home, "--max-delete", 11)["deleted"] == 11


def test_a_setting_moves_the_guard(home: Path) -> None:
    for file in many(home, 20)[:11]:
        file.unlink()
    env = {"TESELA_SYNC_MAX_DELETE": "60%"}
    assert run("sync", "--kb", home, env=env).code == 0


@pytest.mark.parametrize("given", ["-1", "120%", "many", "1.5"])
def test_a_limit_that_is_none_is_refused(home: Path, given: str) -> None:
    done = sync(home, f"--max-delete={given}")
    assert done.code == 2
    assert "max_delete" in done.err


@pytest.mark.parametrize("how", ["empty", "missing", "file"])
def test_a_disk_that_is_not_there_loses_nothing(home: Path, how: str) -> None:
    if how == "file":
        write(home, {"single.md": "sola"})
        sync(home, home / "single.md")
        (home / "single.md").unlink()
    else:
        shutil.rmtree(home / "docs")
        if how == "empty":
            (home / "docs").mkdir()
    assert "missing or empty" in stopped(home)
    assert "missing or empty" in stopped(home, "--max-delete", "100%")
    assert len(hit_names(home, "bomba")) >= 3
    forced = sync(home, "--force-delete")
    assert forced.code == 0
    assert ("stays followed: 'tesela source remove" in forced.err) == (how != "empty")
    assert ", 1 failed" not in sync(home, "--force-delete").err
    assert sync(home).code == (0 if how == "empty" else 3)  # unasked it is a failure, told once
    assert sync(home).code == 0


def test_a_folder_that_moved_whole_is_no_loss(home: Path) -> None:
    many(home, 20)
    (home / "docs" / "new").mkdir()
    for file in (home / "docs").glob("n*.md"):
        file.rename(home / "docs" / "new" / file.name)
    found = reported(home)
    assert (found["moved"], found["deleted"], found["embedded"]) == (20, 0, 0)


def test_a_part_of_a_source(home: Path) -> None:
    write(home / "docs", {"sub/x.md": "equis", "y.md": "ye"})
    assert reported(home, home / "docs" / "sub")["added"] == 1
    shutil.rmtree(home / "docs" / "sub")
    assert reported(home, home / "docs" / "sub")["deleted"] == 1
    assert sync(home, home / "docs" / "sub").code == 2
    assert reported(home)["added"] == 1


def test_a_failure_is_tried_again_only_where_asked(home: Path) -> None:
    write(home / "docs", {"bad.pdf": b"%PDF-1.4\nno"})
    first = sync(home)
    assert first.code == 3
    assert first.err.splitlines()[-1].startswith("3 unchanged, 1 failed; ")
    assert sync(home).code == 0
    again = sync(home, "--retry")
    assert again.code == 3
    assert "  failed: docs/bad.pdf: " in again.err
    (listed,) = run("failures", "--kb", home, "--format", "json").json
    assert (listed["path"], listed["served"]) == ("docs/bad.pdf", False)
    assert run("failures", "--kb", home).out.startswith("docs/bad.pdf: ")
    (home / "docs" / "bad.pdf").unlink()
    assert sync(home).code == 0
    none = run("failures", "--kb", home)
    assert (none.out, none.err) == ("", "no failures\n")


def test_bytes_that_cannot_be_parsed_take_their_old_text_along(home: Path) -> None:
    (home / "docs" / "a.md").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert reported(home)["failed"] == 1
    assert "a.md" not in hit_names(home, "bomba")


def test_a_file_that_may_not_be_read_keeps_its_text(home: Path) -> None:
    file = home / "docs" / "a.md"
    file.write_text("# nuevo\n\notra cosa que nadie puede leer")
    file.chmod(0)
    first = spawn("sync", "--kb", home, unprivileged=True)
    assert first.code == 3
    assert "docs/a.md: Permission denied" in first.err
    assert "a.md" in hit_names(home, "bomba a gira")
    assert " (its last known text is still found)\n" in run("failures", "--kb", home).out
    before = tree(home / ".tesela")
    assert spawn("sync", "--kb", home, unprivileged=True).code == 0
    assert tree(home / ".tesela") == before
    file.chmod(0o644)
    assert reported(home)["edited"] == 1
    assert hit_names(home, "nadie puede leer")[0] == "a.md"
    assert run("failures", "--kb", home).out == ""


def test_wait_for_another_writer(home: Path) -> None:
    with writer_lock(at(home).lock):
        assert sync(home).code == 5
        done = sync(home, "--wait", "0.3s")
        assert done.code == 5
        assert f"process {os.getpid()}" in done.err
        assert sync(home, "--dry-run").code == 5
    assert sync(home, "--wait", "10m").code == 0
    assert sync(home, "--wait", "soon").code == 2
    lines = [("ingest", home / "docs"), ("source", "add", home / "docs"), ("chunk",), ("index",)]
    for line in (*lines, ("contextualize",)):
        assert run(*line, "--kb", home, "--wait", "1s").code == 0
        assert run(*line, "--kb", home, "--wait", "x").code == 2


def test_quiet_is_silent_on_success_only(home: Path) -> None:
    write(home / "docs", {"d.md": "nuevo"})
    done = sync(home, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    write(home / "docs", {"bad.zip": b"PK\x03\x04" + b"\0" * 40})
    done = sync(home, "-q")
    assert done.code == 3
    assert len(done.err.splitlines()) == 2


def test_log_json_talks_in_lines(home: Path) -> None:
    write(home / "docs", {"d.md": "nuevo", "e.md": "", "bad.zip": b"PK\x03\x04" + b"\0" * 40})
    (home / "docs" / "a.md").rename(home / "docs" / "z.md")
    done = sync(home, "--log-json")
    lines = [json.loads(line) for line in done.err.splitlines()]
    assert all(line.pop("time") for line in lines)
    assert lines[:-1] == [
        {"event": "added", "path": "docs/d.md"},
        {"event": "added", "path": "docs/e.md"},
        {"event": "renamed", "path": "docs/z.md", "was": "docs/a.md"},
        {"event": "warning", "path": "docs/e.md", "message": "no text in it"},
        {
            "event": "failed",
            "path": "docs/bad.zip",
            "reason": "zip archive: unpack it; archives are not opened",
        },
    ]
    assert lines[-1]["event"] == "done"
    assert lines[-1]["exit"] == 3
    assert [key for key in lines[-1] if key in KEYS] == KEYS
    with writer_lock(at(home).lock):
        (error,) = sync(home, "--log-json").err.splitlines()
    assert json.loads(error)["event"] == "error"
    assert json.loads(error)["exit"] == 5


def test_a_report_is_there_whole_or_not_at_all(home: Path, tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("{}")
    (tmp_path / "link.json").symlink_to("old.json")
    assert sync(home, "--report", tmp_path / "link.json").code == 0
    assert list(json.loads((tmp_path / "old.json").read_text())) == KEYS
    assert (tmp_path / "link.json").is_symlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kb", "link.json", "old.json"]
    before = tree(home)
    for place in (tmp_path, tmp_path / "nowhere" / "r.json"):
        done = sync(home, "--report", place)
        assert done.code == 2
        assert "--report" in done.err
    assert tree(home) == before


def test_links_are_followed_from_the_run_that_says_so(home: Path, tmp_path: Path) -> None:
    write(tmp_path / "out", {"o.md": "fuera"})
    (home / "docs" / "link").symlink_to(tmp_path / "out")
    assert reported(home)["added"] == 0
    assert planned(home, "--follow-links")["files"]["added"] == ["docs/link/o.md"]
    assert reported(home, "--follow-links")["added"] == 1
    before = tree(home / ".tesela")
    assert sync(home).code == 0
    assert sync(home, "--follow-links").code == 0
    assert tree(home / ".tesela") == before
    assert reported(home, "--no-follow-links")["deleted"] == 1


def test_a_title_that_is_a_name_follows_the_name(home: Path) -> None:
    write(home / "docs", {"first_name.txt": "texto sin título"})
    sync(home)
    (home / "docs" / "first_name.txt").rename(home / "docs" / "second-name.txt")
    assert reported(home)["embedded"] == 0
    found = run("query", "--kb", home, "--format", "json", "-k", 1, "texto sin título").json
    assert found["hits"][0]["title"] == "second name"
    (home / "docs" / "second-name.txt").rename(home / "docs" / "third.md")  # another parser
    assert reported(home)["renamed"] == 1
    fresh = make_kb(home.parent / "fresh", {
        p.name: p.read_bytes() for p in (home / "docs").iterdir()
    })  # fmt: skip
    ours, theirs = (
        run("show", "docs/third.md", "--kb", h, "--format", "json") for h in (home, fresh)
    )
    assert ours.json == theirs.json


def test_format_goes_with_a_dry_run(home: Path) -> None:
    assert sync(home, "--format", "json").code == 2
