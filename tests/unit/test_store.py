"""The store: migrations, rows, results by key."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from kb.errors import TeselaError, Unavailable
from kb.location import Location, at
from kb.records import Chunk, Document, Element
from kb.store import FileRow, SourceRow, Store
from kb.store.migrations import MIGRATIONS


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return at(tmp_path)


def version(location: Location) -> int:
    connection = sqlite3.connect(location.store)
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(found)


def test_an_old_store_is_brought_up_to_date_and_keeps_its_rows(location: Location) -> None:
    location.folder.mkdir()
    connection = sqlite3.connect(location.store)
    connection.executescript(f"{MIGRATIONS[0]} PRAGMA user_version = 1;")
    connection.execute("INSERT INTO sources VALUES ('docs')")
    row = ("a.md", "docs", 1, 2, 3, 4, "sha", "markdown", "p", "c", "x", "")
    connection.execute(f"INSERT INTO files VALUES ({', '.join('?' * len(row))})", row)
    connection.commit()
    connection.close()
    with Store(location) as store:
        assert store.files() == [FileRow(*row)]
        assert [source.root for source in store.sources()] == ["docs"]
    assert version(location) == len(MIGRATIONS)


def test_a_step_that_fails_leaves_the_store_as_it_was(
    location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(location).close()
    broken = (*MIGRATIONS, "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1);")
    monkeypatch.setattr("kb.store.migrations.MIGRATIONS", broken)
    with pytest.raises(TeselaError, match="nowhere"):
        Store(location)
    monkeypatch.undo()
    assert version(location) == len(MIGRATIONS)
    with Store(location) as store:
        assert store.files() == []


def test_a_newer_store_is_refused_and_left_alone(location: Location) -> None:
    Store(location).close()
    connection = sqlite3.connect(location.store)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(Unavailable, match=rf"schema 99.*up to {len(MIGRATIONS)}.*upgrade"):
        Store(location)
    assert version(location) == 99


def test_no_database_is_told_with_its_path(location: Location) -> None:
    location.folder.mkdir()
    location.store.write_bytes(b"no database" * 100)
    with pytest.raises(TeselaError, match=rf"{location.store} is damaged"):
        Store(location)


def test_results_come_back_and_go_when_no_file_needs_them(location: Location) -> None:
    document = Document("hola", (Element("paragraph", 0, 4, ("A", "B")),), metadata={"n": 1})
    chunk = Chunk("", "", "", 0, 4, "hola", heading=("A",), lines=(1, 1), bboxes=((1, 1, 2, 3, 4),))
    one = FileRow("a.md", "docs", 4, 0, 0, parse_key="p1", chunk_key="c1", context_key="x1")
    two = FileRow("b.md", "other", 4, 0, 0, parse_key="p1", error="")
    with Store(location) as store:
        store.put("documents", [("p1", [document]), ("p2", [document, document])], [one, two])
        store.put("chunks", [("c1", [(chunk,)])], [])
        store.put("contexts", [("x1", [("ctx",)])], [])
        assert list(store.documents("p1")) == [document]
        assert list(store.chunks("c1")) == [chunk]
        assert list(store.contexts("x1")) == ["ctx"]
        assert store.files("docs") == [one]
        assert store.known("documents", ["p1", "p2", "p3"]) == {"p1", "p2"}
        assert store.collect() == 1  # p2
        store.remove_files(["a.md"])
        assert store.collect() == 2  # c1 and x1; b.md still needs p1
        assert store.known("documents", ["p1"]) == {"p1"}
        with pytest.raises(KeyError, match="p2"):
            next(store.documents("p2"))
        with pytest.raises(KeyError, match="soup"):
            store.known("soup", [])


def test_a_result_in_parts_is_replaced_and_dropped_as_one(location: Location) -> None:
    row = FileRow("a.md", "docs", 4, 0, 0, context_key="x")
    with Store(location) as store:
        store.put("contexts", [("x", [("a",), (), ("b", "c")]), ("y", [(), ()])], [row])
        assert list(store.contexts("x")) == ["a", "b", "c"]
        store.put("contexts", [("x", iter([("d",), ("e",)]))], [])
        assert list(store.contexts("x")) == ["d", "e"]
        assert (store.uncollected(), store.collect(), store.uncollected()) == (1, 1, 0)
        assert store.known("contexts", ["x", "y"]) == {"x"}
        assert store.dangling() == 0


def test_a_result_whose_parts_fail_is_not_there(location: Location) -> None:
    def parts() -> Iterator[tuple[str, ...]]:
        yield ("a",)
        raise ValueError("no more")

    with Store(location) as store:
        with pytest.raises(ValueError, match="no more"):
            store.put("contexts", [("x", parts())], [FileRow("a.md", "docs", 1, 1, 1)])
        assert store.known("contexts", ["x"]) == set()
        assert store.files() == []


def test_results_from_before_parts_stay(location: Location) -> None:
    location.folder.mkdir()
    connection = sqlite3.connect(location.store)
    steps = " ".join(MIGRATIONS[:3])
    connection.executescript(f"{steps} PRAGMA user_version = 3;")
    record = msgspec.json.encode(Document("hola", ()))
    connection.execute("INSERT INTO documents VALUES ('p', ?)", (record,))
    connection.commit()
    connection.close()
    with Store(location) as store:
        assert list(store.documents("p")) == [Document("hola", ())]


def test_a_batch_is_written_whole_or_not_at_all(location: Location) -> None:
    good = FileRow("a.md", "docs", 1, 1, 1)
    with Store(location) as store:
        with pytest.raises(TeselaError):
            store.put_files([good, FileRow("b.md", "docs", None, 1, 1)])  # type: ignore[arg-type]
        assert store.files() == []
        store.put_files([good])
        assert store.files() == [good]


def test_looking_leaves_no_trace(location: Location) -> None:
    location.folder.mkdir()
    with Store.unchanged(location) as store:
        assert store.files() == []
    assert list(location.folder.iterdir()) == []
    with Store(location) as store:
        store.put_files([FileRow("a.md", "docs", 1, 2, 3)])
    before = [(p.name, p.stat().st_mtime_ns, p.read_bytes()) for p in location.folder.iterdir()]
    with Store.unchanged(location) as store, pytest.raises(TeselaError, match="readonly"):
        assert [row.path for row in store.files()] == ["a.md"]
        store.put_files([FileRow("b.md", "docs", 1, 2, 3)])
    after = [(p.name, p.stat().st_mtime_ns, p.read_bytes()) for p in location.folder.iterdir()]
    assert after == before
    assert [name for name, _, _ in after] == ["store.sqlite"]


def test_what_a_killed_writer_left_is_seen_and_stays(location: Location) -> None:
    location.folder.mkdir()
    with Store(location) as store:
        store.put_source(SourceRow("docs", ("*.md",), (), ("x", "y")))
        for suffix in ("", "-wal"):  # as they are before they are put together
            shutil.copy(f"{location.store}{suffix}", f"{location.folder}/kept{suffix}")
    for suffix in ("", "-wal"):
        Path(f"{location.folder}/kept{suffix}").replace(f"{location.store}{suffix}")
    names = sorted(p.name for p in location.folder.iterdir())
    assert not Store.is_settled(location)
    with Store.unchanged(location) as store:
        assert store.sources() == [SourceRow("docs", ("*.md",), (), ("x", "y"))]
    assert sorted(p.name for p in location.folder.iterdir()) == names
    Store(location).close()
    assert Store.is_settled(location)
