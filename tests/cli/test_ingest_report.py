"""``tesela ingest --report`` and ``tesela show --elements``: what was read, seen by a person."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from kb.location import at
from kb.store import Store
from tests.running import Ran, run, spawn, write
from tests.unit.test_parse_pdf import lines, make

TEXT = "# Uno\n\nLa bomba gira y el agua sube.\n\n## Dos\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
HTML = "<h1>One</h1>\n<p>The pump turns and the water\nrises.</p>"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write(
        tmp_path,
        {"docs/a.md": TEXT, "docs/sub/b.html": HTML, "docs/c.zip": b"PK\x03\x04" + bytes(40)},
    )
    assert run("init", tmp_path, "--preset", "fast").code == 0
    return tmp_path


def reported(home: Path, *args: object) -> dict[str, Any]:
    done = run("ingest", *args, "--report", "--kb", home, cwd=home)
    return {line["path"]: line for line in done.json}


def test_each_file_with_what_it_gave(home: Path) -> None:
    first = run("ingest", "docs", "--report", "--kb", home, cwd=home)
    assert first.code == 3
    found = {line.pop("path"): line for line in first.json}
    assert list(found) == ["docs/a.md", "docs/c.zip", "docs/sub/b.html"]
    seconds = found["docs/a.md"].pop("seconds")
    assert 0 <= seconds < 10
    assert found["docs/a.md"] == {
        "parser": "markdown", "pages": 0, "elements": 4, "characters": len(TEXT), "language": "es",
        "ocr_pages": [], "warnings": [], "error": None,
    }  # fmt: skip
    assert (found["docs/sub/b.html"]["elements"], found["docs/sub/b.html"]["language"]) == (2, "en")
    assert found["docs/c.zip"]["error"].startswith("zip archive: ")
    assert found["docs/c.zip"]["elements"] is None


def test_files_that_were_read_long_ago_are_in_it_too(home: Path) -> None:
    before = reported(home, "docs")
    write(home, {"docs/d.md": "nuevo"})
    after = reported(home)  # all that is followed
    assert {path: after[path] for path in before} == before
    assert set(after) - set(before) == {"docs/d.md"}
    assert list(reported(home, "docs/sub")) == ["docs/sub/b.html"]
    with Store(at(home)) as store:
        assert len(store.readings()) == 3


def test_readings_leave_with_their_documents(home: Path) -> None:
    run("sync", "docs", "--kb", home, cwd=home)
    (home / "docs" / "a.md").unlink()
    run("sync", "--kb", home)
    with Store(at(home)) as store:
        assert [reading.language for reading in store.readings().values()] == ["en"]


def test_what_an_older_version_read_is_counted_from_its_document(home: Path) -> None:
    wanted = reported(home, "docs")
    with sqlite3.connect(at(home).store) as db:
        db.execute("DELETE FROM readings")
    db.close()
    found = reported(home)
    assert found["docs/a.md"] == {**wanted["docs/a.md"], "seconds": None}
    assert found["docs/sub/b.html"] == {**wanted["docs/sub/b.html"], "seconds": None}


def test_as_a_table(home: Path) -> None:
    done = spawn("ingest", home / "docs", "--report", "--format", "table", "--kb", home)
    assert done.code == 3
    lines = done.out.splitlines()
    assert lines[0].split() == ["file", "parser", "pages", "OCR", "elem.", "chars", "lang", "s"]
    assert lines[1].split()[:5] == ["docs/a.md", "markdown", "4", "76", "es"]
    assert "failed: zip archive" in done.out
    assert max(map(len, lines)) <= 80


def test_ingest_without_a_path_reads_what_is_followed(home: Path) -> None:
    nothing = run("ingest", "--kb", home)
    assert (nothing.code, nothing.err) == (0, "nothing is followed yet: tesela ingest PATH\n")
    run("sync", "docs", "--kb", home, cwd=home)
    write(home, {"docs/d.md": "nuevo"})
    assert run("ingest", "--kb", home).err == "1 added, 2 unchanged, 1 failed before\n"
    assert run("ingest", "--format", "json", "--kb", home).code == 2


def show(home: Path, *args: object) -> Ran:
    return run("show", *args, "--kb", home, cwd=home)


def test_elements_with_their_places(home: Path) -> None:
    run("ingest", "docs", "--kb", home, cwd=home)
    done = show(home, "docs/a.md", "--elements")
    assert done.out == (
        "# docs/a.md: markdown, 4 elements, 76 characters, es\n\n"
        "[heading 1] lines 1-1\n# Uno\n\n"
        "[paragraph] lines 3-3, in Uno\nLa bomba gira y el agua sube.\n\n"
        "[heading 2] lines 5-5, in Uno\n## Dos\n\n"
        "[table] lines 7-9, in Uno › Dos\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    as_json = show(home, "docs/sub/b.html", "--elements", "--format", "json").json
    assert [e["kind"] for e in as_json["elements"]] == ["heading", "paragraph"]
    assert as_json["elements"][1]["lines"] == [2, 3]
    assert as_json["elements"][1]["heading"] == ["One"]


def test_one_page(home: Path) -> None:
    write(
        home,
        {
            "docs/p.pdf": make(
                [
                    lines(72, 100, ["La primera trata de bombas."]),
                    lines(72, 100, ["The second one."]),
                ]
            )
        },
    )
    run("ingest", "docs", "--kb", home, cwd=home)
    done = show(home, "docs/p.pdf", "--page", 2)
    assert "The second one." in done.out
    assert "bombas" not in done.out
    assert "page 2, box " in done.out
    found = show(home, "docs/p.pdf", "--page", 1, "--format", "json").json
    assert (found["pages"], {e["page"] for e in found["elements"]}) == (2, {1})
    beyond = show(home, "docs/p.pdf", "--page", 3)
    assert (beyond.code, "has 2 pages: there is no page 3" in beyond.err) == (2, True)
    none = show(home, "docs/a.md", "--page", 1)
    assert (none.code, "has no pages: --elements" in none.err) == (2, True)


def test_what_is_shown_is_what_was_read_last_and_not_a_generation(home: Path) -> None:
    run("sync", "docs", "--kb", home, cwd=home)
    write(home, {"docs/a.md": "# Tres"})
    run("ingest", "docs", "--kb", home, cwd=home)
    assert "# Tres" in show(home, "docs/a.md", "--elements").out
    assert show(home, "docs/a.md", "--elements", "--generation", "1").code == 2
    assert show(home, "docs/none.md", "--elements").code == 2


def test_what_is_closed_is_not_there(home: Path) -> None:
    """By the text of now, by the text that is indexed, by a sidecar, by a rule."""
    closed = "---\nacl: [group:hr]\n---\nsueldo"
    write(home, {"docs/was.md": closed, "docs/is.md": "abierto", "docs/beside.txt": "sueldo",
                 "docs/beside.txt.meta.toml": 'acl = ["group:hr"]', "docs/board/x.md": "sueldo"})  # fmt: skip
    toml = home / ".tesela" / "tesela.toml"
    toml.write_text(toml.read_text() + '\n[[acl.rules]]\npath = "board/"\nlabels = ["group:hr"]\n')
    run("sync", "docs", "--kb", home, cwd=home)
    write(home, {"docs/was.md": "abierto", "docs/is.md": closed})
    run("ingest", "docs", "--kb", home, cwd=home)
    for name in ("was.md", "is.md", "beside.txt", "board/x.md"):
        hidden = show(home, f"docs/{name}", "--elements")
        assert (hidden.code, hidden.out) == (2, ""), name
        assert "is no file that was read" in hidden.err
        assert show(home, f"docs/{name}", "--elements", "--principal", "group:hr").code == 0, name
