"""Generations are kept, named, compared and cleaned away."""

import gc
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from index.reader import GenerationReader
from kb import generations, history
from kb.location import at
from tests.faults import load_fake
from tests.running import hit_names, make_kb, run, snapshot, write

NEEDLE = "zanahoria"


@pytest.fixture(autouse=True)
def cheap_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.models.load.load_embedder", load_fake)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three generations: a needle comes in the second and goes in the third."""
    made = make_kb(tmp_path / "kb", {"a.md": "# Uno\n\nhola mundo\n", "b.md": "dos bombas\n"})
    write(made / "docs", {"n.md": f"una {NEEDLE} fresca\n"})
    assert run("sync", "--kb", made).code == 0
    (made / "docs" / "n.md").unlink()
    assert run("sync", "--kb", made).code == 0
    return made


def holders(home: Path, needle: str = NEEDLE) -> list[str]:
    """Every file of the KB with the needle in its bytes."""
    folder = home / ".tesela"
    return [
        p.relative_to(folder).as_posix()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and needle.encode() in p.read_bytes()
    ]


def there(home: Path) -> list[int]:
    return generations.numbers(at(home))


def test_deleted_text_is_in_no_file_after_gc(home: Path) -> None:
    assert holders(home)
    done = run("gc", "--kb", home)
    assert done.code == 0, done.err
    assert "2 generations (1, 2)" in done.out
    assert holders(home) == []
    assert there(home) == [3]
    assert hit_names(home, "hola", "-k", 1) == ["a.md"]


def test_edited_text_of_a_killed_run_goes_too(home: Path) -> None:
    write(home / ".tesela" / "generations" / "building", {"chunks/x": NEEDLE})
    write(home / ".tesela" / "generations" / "removing-0009", {"chunks/x": NEEDLE})
    write(home / ".tesela", {"store.sqlite.damaged-1": NEEDLE, "CURRENT.tmp": NEEDLE})
    done = run("gc", "--kb", home, "--format", "json")
    assert len(done.json["leftovers"]) == 4
    assert holders(home) == []


def test_caches_go_only_when_asked(home: Path) -> None:
    assert run("gc", "--kb", home, "--format", "json").json["cached"] is None
    found = run("gc", "--caches", "--kb", home, "--format", "json").json
    assert (found["cached"], found["clean"]) == (1, True)
    assert run("gc", "--caches", "--kb", home, "--format", "json").json["cached"] == 0
    write(home / "docs", {"n.md": f"una {NEEDLE} fresca\n", "a2.md": "# Uno\n\nhola mundo\n"})
    assert ", 1 embedded, " in run("sync", "--kb", home).err


def test_caches_of_kept_generations_stay(home: Path) -> None:
    run("snapshot", "tag", "con-aguja", "--generation", 2, "--kb", home)
    assert run("gc", "--caches", "--kb", home, "--format", "json").json["cached"] == 0


def test_a_dry_run_says_what_would_go_and_leaves_it(home: Path) -> None:
    before = snapshot(home / ".tesela")
    found = run("gc", "--dry-run", "--caches", "--kb", home, "--format", "json").json
    after = snapshot(home / ".tesela")
    before.pop("lock"), after.pop("lock")
    assert after == before
    done = run("gc", "--caches", "--kb", home, "--format", "json").json
    for key in ("removed", "kept", "results", "leftovers", "cached"):
        assert found[key] == done[key]


def test_keep_and_tags_are_a_policy(home: Path) -> None:
    run("snapshot", "tag", "first", "--generation", 1, "--kb", home)
    assert run("gc", "--keep", 2, "--kb", home, "--format", "json").json["removed"] == []
    assert run("gc", "--kb", home, "--format", "json").json["removed"] == [2]
    run("snapshot", "remove", "first", "--kb", home)
    assert run("gc", "--kb", home, "--format", "json").json["removed"] == [1]
    assert run("gc", "--keep", 0, "--kb", home).code == 2


def test_a_build_keeps_as_many_as_the_settings_say(home: Path) -> None:
    run("snapshot", "tag", "first", "--generation", 1, "--kb", home)
    for number in range(4):
        write(home / "docs", {"c.md": f"versión {number}"})
        assert run("sync", "--kb", home, "--set", "generations.keep=2").code == 0
    assert there(home) == [1, 6, 7]
    assert run("sync", "--kb", home, "--set", "generations.keep=0").code == 2


def test_what_a_reader_has_open_survives(home: Path) -> None:
    reader = GenerationReader.open(at(home), generation="2")
    found = run("gc", "--kb", home, "--format", "json").json
    assert (found["removed"], found["in_use"]) == ([1], [2])
    assert any(NEEDLE in chunk.text for chunk in reader.chunks)
    assert len(reader.bm25) == len(reader.vectors) == 3
    del reader
    gc.collect()
    assert run("gc", "--kb", home, "--format", "json").json["removed"] == [2]


def test_the_past_answers_by_number_name_and_date(home: Path) -> None:
    assert run("snapshot", "tag", "con-aguja", "--generation", 2, "--kb", home).code == 0
    times = {"1": "2024-05-01T10:00:00", "2": "2024-05-01T12:00:00", "3": "2024-06-01T00:00:00"}
    lines = ",".join(f'"{n}": "{t}+00:00"' for n, t in times.items())
    at(home).history.write_text(f"{{{lines}}}")
    for wanted in ("2", "0002", "con-aguja", "2024-05-02", "2024-05-31T23:00:00+00:00", "previous"):
        assert "n.md" in hit_names(home, NEEDLE, "--generation", wanted), wanted
    for wanted in ("1", "3", "current", "2024-05-01T11:00:00+00:00", "2099-01-01"):
        assert "n.md" not in hit_names(home, NEEDLE, "--generation", wanted), wanted
    for wanted in ("7", "nothing", "2024-04-30", ""):
        done = run("query", NEEDLE, "--generation", wanted, "--kb", home)
        assert done.code == 2
        assert "1 of 2024-05-01" in done.err
        assert "con-aguja" in done.err
    shown = run("show", "docs/n.md", "--generation", "con-aguja", "--kb", home)
    assert NEEDLE in shown.out
    assert run("show", "docs/n.md", "--kb", home).code == 2


def test_an_old_generation_is_asked_with_its_own_terms_and_todays_weights(home: Path) -> None:
    assert run("index", "--set", "bm25.stem=false", "--kb", home).code == 0
    old = run("query", "bombas", "--mode", "sparse", "--rerank", "none", "--generation", 4,
              "--set", "bm25.k1=0", "--kb", home, "--format", "json")  # fmt: skip
    now = run("query", "bombas", "--mode", "sparse", "--rerank", "none", "--generation", 4,
              "--kb", home, "--format", "json")  # fmt: skip
    assert (old.code, now.code) == (0, 0)
    assert old.json["hits"][0]["score"] != now.json["hits"][0]["score"]


def test_times_survive_without_the_log(home: Path) -> None:
    at(home).history.unlink()
    times = history.published(at(home))
    assert list(times) == [1, 2, 3]
    assert datetime.now().astimezone() - times[3] < timedelta(minutes=5)
    manifest = generations.folder_of(at(home), 1) / "manifest.json"
    os.utime(manifest, (1_000_000_000, 1_000_000_000))
    assert history.resolve(at(home), "2001-09-10").name == "0001"


@pytest.mark.parametrize("name", ["7", "2024-01-01", "current", "a b", "-x", "a/b", "x" * 101])
def test_names_that_mean_something_else_are_refused(home: Path, name: str) -> None:
    assert run("snapshot", "tag", "--kb", home, "--", name).code == 2


def test_a_name_is_of_one_generation(home: Path) -> None:
    for _ in range(2):
        assert run("snapshot", "tag", "v1", "--generation", 1, "--kb", home).code == 0
    taken = run("snapshot", "tag", "v1", "--kb", home)
    assert taken.code == 2
    assert "generation 1" in taken.err
    listed = run("snapshot", "list", "--format", "json", "--kb", home).json
    assert [(row["generation"], row["tags"], row["current"]) for row in listed] == [
        (1, ["v1"], False),
        (2, [], False),
        (3, [], True),
    ]
    assert "v1" in run("snapshot", "list", "--kb", home).out
    assert run("snapshot", "remove", "v2", "--kb", home).code == 2


def test_damaged_names_protect_everything(home: Path) -> None:
    write(home, {".tesela/snapshots.json": "{"})
    assert run("gc", "--kb", home).code == 1
    write(home / "docs", {"c.md": "tres"})
    done = run("sync", "--kb", home, "--set", "generations.keep=1")
    assert done.code == 0
    assert "left alone" in done.err
    assert there(home) == [1, 2, 3, 4]


def test_diff_tells_documents_and_chunks(home: Path) -> None:
    long = "\n\n".join(f"## Parte {i}\n\nAlgo sobre la bomba {i}." for i in range(4))
    write(home / "docs", {"long.md": long, "b.md": "dos bombas y media\n"})
    (home / "docs" / "a.md").rename(home / "docs" / "z.md")
    assert run("sync", "--kb", home).code == 0
    done = run("diff", "--kb", home)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith("generation 3 → 4: documents 1 added, 1 changed, 1 renamed")
    assert "> docs/a.md → docs/z.md" in lines
    assert "~ docs/b.md" in lines
    assert "    ~ line 1: dos bombas y media" in lines
    write(home / "docs", {"long.md": long.replace("bomba 2", "turbina 2")})
    assert run("sync", "--kb", home).code == 0
    found = run("diff", "4", "--format", "json", "--kb", home).json
    assert found["documents"] == {"added": 0, "changed": 1, "removed": 0, "renamed": 0}
    (change,) = found["changes"]
    assert change["path"] == "docs/long.md"
    assert all("turbina" in c["new"]["text"] for c in change["chunks"] if c["change"] == "changed")
    back = run("diff", "current", "3", "--format", "json", "--kb", home).json
    assert back["documents"] == {"added": 0, "changed": 1, "removed": 1, "renamed": 1}
    same = run("diff", "current", "current", "--kb", home)
    assert same.out == "generation 5 → 5: documents the same; chunks the same\n"


def test_diff_needs_two(tmp_path: Path) -> None:
    home = make_kb(tmp_path / "kb", {"a.md": "hola"})
    done = run("diff", "--kb", home)
    assert done.code == 2
    assert "nothing to compare" in done.err


def test_diff_over_another_chunk_size_says_that_files_are_the_same(home: Path) -> None:
    text = " ".join(f"La bomba número {i} gira." for i in range(60))
    write(home / "docs", {"long.md": text})
    assert run("sync", "--kb", home).code == 0
    assert run("chunk", "--size", 64, "--kb", home).code == 0
    assert run("index", "--kb", home).code == 0
    assert "~ docs/long.md (the file is the same)" in run("diff", "--kb", home).out


def test_status_tells_history_sizes_and_staleness(home: Path) -> None:
    run("snapshot", "tag", "first", "--generation", 1, "--kb", home)
    found = run("status", "--kb", home, "--format", "json").json
    assert [g["tags"] for g in found["generations"]] == [["first"], [], []]
    assert found["behind"] is False
    assert found["published"] == found["generations"][-1]["published"]
    assert set(found["component_bytes"]) >= {"chunks", "vectors", "bm25", "engine"}
    assert sum(found["component_bytes"].values()) == found["index_bytes"]
    assert sum(found["languages"].values()) == found["documents"] == 2
    write(home / "docs", {"c.md": "tres"})
    assert run("ingest", home / "docs", "--kb", home).code == 0
    assert run("status", "--kb", home, "--format", "json").json["behind"] is True
    assert "first" in run("status", "--kb", home).out
