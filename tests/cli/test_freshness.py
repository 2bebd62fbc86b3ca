"""Hits say whether their file is still what was indexed; a question writes nothing and waits for none."""

import os
import sqlite3
import time
from pathlib import Path

import pytest

from kb.lock import writer_lock
from tests.running import hits, make_kb, run, snapshot

SPARSE = ("--mode", "sparse", "--rerank", "none")
FILES = {
    "one.md": "# Pump\n\nThe zebra pump runs dry at night and stops by itself.\n",
    "two.md": "# Valve\n\nA zebra valve closes when the pump stops.\n",
    "three.md": "# Sensor\n\nThe zebra sensor counts turns of the pump.\n",
}


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    return make_kb(tmp_path, FILES)


def states(home: Path, *args: object) -> dict[str, str]:
    return {Path(hit["path"]).name: hit["fresh"] for hit in hits(home, "zebra", *SPARSE, *args)}


def test_fresh_changed_missing(kb: Path) -> None:
    assert states(kb) == dict.fromkeys(FILES, "fresh")
    (kb / "docs" / "one.md").write_text("other text altogether\n")
    (kb / "docs" / "two.md").unlink()
    assert states(kb) == {"one.md": "changed", "two.md": "missing", "three.md": "fresh"}


def test_the_footer_counts_and_goes_with_the_next_sync(kb: Path) -> None:
    question = ("query", "--kb", kb, *SPARSE, "zebra")
    assert "since the last sync" not in run(*question).err
    (kb / "docs" / "one.md").write_text("zebra, other text altogether\n")
    assert run(*question).err == "1 file changed since the last sync: run tesela sync\n"
    (kb / "docs" / "two.md").unlink()
    assert "2 files changed since the last sync" in run(*question).err
    assert run("sync", "--kb", kb).code == 0
    assert "since the last sync" not in run(*question).err
    assert states(kb) == {"one.md": "fresh", "three.md": "fresh"}


def test_a_touched_file_is_fresh_again_after_a_sync_that_publishes_nothing(kb: Path) -> None:
    os.utime(kb / "docs" / "one.md", ns=(5, 5))
    assert states(kb)["one.md"] == "changed"
    assert run("sync", "--kb", kb).code == 0
    assert states(kb)["one.md"] == "fresh"
    assert (kb / ".tesela" / "CURRENT").read_text().strip() == "0001"


def test_a_file_read_again_but_not_yet_published_is_changed(kb: Path) -> None:
    (kb / "docs" / "one.md").write_text("zebra, other text altogether\n")
    assert run("ingest", kb / "docs", "--kb", kb).code == 0
    assert states(kb)["one.md"] == "changed"
    assert run("index", "--kb", kb).code == 0
    assert states(kb)["one.md"] == "fresh"


def test_drop_fills_up_from_what_follows(kb: Path) -> None:
    first, second, third = hits(kb, "zebra", *SPARSE)
    (kb / first["path"]).unlink()
    dropped = hits(kb, "zebra", *SPARSE, "-k", 2, "--fresh", "drop", "--explain")
    assert [hit["id"] for hit in dropped] == [second["id"], third["id"]]
    assert [hit["rank"] for hit in dropped] == [1, 2]
    assert [hit["score"] for hit in dropped] == [second["score"], third["score"]]
    assert [hit["fusion"]["sparse"] for hit in dropped] == [hit["score"] for hit in dropped]


def test_fail_lists_the_files_and_prints_no_hit(kb: Path) -> None:
    question = ("query", "--kb", kb, *SPARSE, "--fresh", "fail", "zebra")
    assert run(*question).code == 0
    (kb / "docs" / "two.md").unlink()
    done = run(*question)
    assert (done.code, done.out) == (3, "")
    assert "missing: docs/two.md" in done.err
    assert "docs/one.md" not in done.err


@pytest.mark.parametrize("form", ["md", "table", "csv", "paths", "jsonl"])
def test_every_format_marks_what_is_not_fresh(kb: Path, form: str) -> None:
    question = ("query", "--kb", kb, *SPARSE, "--format", form, "zebra")
    assert "missing" not in run(*question).out
    (kb / "docs" / "two.md").unlink()
    marked = [line for line in run(*question).out.splitlines() if "missing" in line]
    assert len(marked) == 1
    assert "two.md" in marked[0]


def test_a_question_writes_nothing(kb: Path) -> None:
    before = snapshot(kb)
    assert states(kb)
    assert snapshot(kb) == before


def test_a_question_does_not_wait_for_a_writer(kb: Path) -> None:
    (kb / "docs" / "one.md").unlink()
    with writer_lock(kb / ".tesela" / "lock"):
        writer = sqlite3.connect(kb / ".tesela" / "store.sqlite", isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE files SET size = 1")
        begun = time.monotonic()
        assert states(kb) == {"one.md": "missing", "two.md": "fresh", "three.md": "fresh"}
        assert time.monotonic() - begun < 5
        writer.execute("ROLLBACK")
        writer.close()


def test_without_a_store_nothing_is_claimed(kb: Path) -> None:
    (kb / ".tesela" / "store.sqlite").unlink()
    assert states(kb) == dict.fromkeys(FILES, None)
    done = run("query", "--kb", kb, *SPARSE, "--fresh", "drop", "zebra")
    assert done.code == 1
    assert "cannot tell which files changed" in done.err
